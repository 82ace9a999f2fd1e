// The private key of a version of an intake key: it is derived from the version's secret, and stored nowhere.
// Openings and the public key use it.
import { intakeKeyInfo, type IntakePrivateKey, intakePrivateKey } from '@eaas/protocol/internal-intake';
import { using } from '@eaas/protocol/internal-service';
import { exportSecret, hkdf, intakeCrypto } from '#platform';
import type { Secret } from '../../crypto/secret.ts';
import type { KeyRow } from '../../ledger/tables.ts';

/** Whether the key was made for intake. */
export const isForIntake = (key: KeyRow): boolean => Reflect.get(key, 'intake') === true;

/** Expands the private key of a version, which takes a millisecond. The caller must call its `wipe`. */
export function expand(secret: Secret, { tenant_id, key_id }: KeyRow, keyVersion: number): IntakePrivateKey {
  const seed = hkdf(secret, intakeKeyInfo(tenant_id, { keyId: key_id, keyVersion }));
  return using(exportSecret(seed), (bytes) => intakePrivateKey(intakeCrypto, bytes));
}
