import type { Context } from '@eaas/protocol';
import {
  formatPublicKey,
  type IntakePrivateKey,
  intakeVersion,
  openForIntake,
} from '@eaas/protocol/internal-intake';
import { refusedByStatus } from '@eaas/protocol/service';
import { busy } from '../admission/shares.ts';
import type { Caller } from '../state/caller.ts';
import { intakeCrypto, openIntakeKey } from '../crypto/intake.ts';
import { Refusal } from '../base/refusal.ts';
import type { Service } from '../app/service.ts';
import type { KeyMaterial } from '../state/tenant-view.ts';
import { timeLimit } from '../base/time-limit.ts';

const patience = 4_000;

interface Opening {
  /** The shared secret of the wrapped key, or undefined if the wrapped key has a point of low order. */
  readonly sharedSecret: Uint8Array | undefined;
  isCounted: boolean;
}

interface Wanted {
  readonly key: KeyMaterial;
  readonly wrapped: Uint8Array;
}

export type IntakeOpenings = ReturnType<typeof intakeOpenings>;

interface Uses {
  readonly admission: Pick<Service['admission'], 'turns'>;
  readonly counts: Pick<Service['counts'], 'intakeOpened'>;
}

export function intakeOpenings({ admission, counts }: Uses, caller: Caller) {
  const openings = new Map<string, Opening>();
  const deadline = performance.now() + timeLimit(patience);
  return {
    /**
     * Decapsulates in short steps, because many wrapped keys need much CPU time. Keeps the shared secrets, so that a
     * request that is processed again decapsulates no wrapped key twice.
     */
    async prepare(wanted: Iterable<Wanted>): Promise<void> {
      const privateKeys = new Map<string, IntakePrivateKey>();
      function* work() {
        for (const { key, wrapped } of wanted) {
          const name = nameOf(key, wrapped);
          const version = openings.has(name) ? undefined : openableVersion(key, wrapped);
          if (version === undefined) continue;
          if (performance.now() > deadline) return;
          const versionName = `${key.row.key_id} ${version.keyVersion}`;
          const known = privateKeys.get(versionName);
          const privateKey = known ?? openIntakeKey(version.secret, key.row.tenant_id, version);
          if (!known) {
            privateKeys.set(versionName, privateKey);
            yield;
          }
          openings.set(name, { sharedSecret: privateKey.decapsulate(wrapped), isCounted: false });
          yield;
        }
      }
      try {
        await admission.turns.run(caller.tenantId, work(), caller);
      } catch (error) {
        // `Refusal` means that the wrapped keys waited too long for CPU time. `unwrap` then responds with 503 for each
        // wrapped key that was not decapsulated.
        if (!(error instanceof Refusal)) throw error;
      } finally {
        for (const privateKey of privateKeys.values()) privateKey.wipe();
      }
    },
    unwrap(key: KeyMaterial, wrapped: Uint8Array, context: Context | undefined): Uint8Array | undefined {
      const version = openableVersion(key, wrapped);
      if (!version) return undefined;
      const opening = openings.get(nameOf(key, wrapped));
      if (!opening) throw busy();
      const { sharedSecret } = opening;
      const dek = sharedSecret && openForIntake(intakeCrypto, version, wrapped, sharedSecret, context);
      if (dek && !opening.isCounted) counts.intakeOpened++;
      opening.isCounted ||= dek !== undefined;
      return dek;
    },
    wipe(): void {
      for (const { sharedSecret } of openings.values()) sharedSecret?.fill(0);
    },
  };
}

export function intakePublicKeyOf(key: KeyMaterial): string | null {
  const { row, versions } = key;
  if (!row.intake) return null;
  if (key.intakePublicKey !== undefined) return key.intakePublicKey;
  const { key_id: keyId, key_version: keyVersion } = row;
  const secret = versions.get(keyVersion);
  if (!secret)
    throw new Error(`version ${keyVersion} of the active key ${keyId} must have a secret (got none)`);
  const { publicKey, wipe } = openIntakeKey(secret, row.tenant_id, { keyId, keyVersion });
  wipe();
  key.intakePublicKey = formatPublicKey({ keyId, keyVersion, bytes: publicKey });
  return key.intakePublicKey;
}

const nameOf = ({ row }: KeyMaterial, wrapped: Uint8Array): string =>
  row.key_id + Buffer.from(wrapped.buffer, wrapped.byteOffset, wrapped.length).toString('latin1');

function openableVersion({ row, versions }: KeyMaterial, wrapped: Uint8Array) {
  if (!row.intake || refusedByStatus(row, 'active', 'disabled')) return undefined;
  const keyVersion = intakeVersion(wrapped);
  const secret = keyVersion === undefined ? undefined : versions.get(keyVersion);
  return keyVersion === undefined || !secret ? undefined : { keyId: row.key_id, keyVersion, secret };
}
