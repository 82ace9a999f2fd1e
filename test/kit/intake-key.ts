import {
  formatPublicKey,
  intakeVersion,
  nobleIntakeCrypto as crypto,
  nobleIntakeKey,
  openForIntake,
} from '@eaas/protocol/internal-service';
import { type Context, DecryptionError, type Wrapped } from '../../packages/protocol/src/index.ts';
import { vectors } from './vectors.ts';

const { tenant_id: tenantId, key_id: ownKeyId } = vectors('intake');
const secret = new Uint8Array(32).fill(11);

export function intakeKey(place = { keyId: ownKeyId, keyVersion: 2 }) {
  const key = nobleIntakeKey(secret, tenantId, place);
  const unwrap =
    (context?: Context) =>
    ({ wrappedKey }: Pick<Wrapped, 'wrappedKey'>): Uint8Array => {
      const version = intakeVersion(wrappedKey);
      const sharedSecret = version === undefined ? undefined : key.decapsulate(wrappedKey);
      const dek = sharedSecret && openForIntake(crypto, place, wrappedKey, sharedSecret, context);
      if (!dek) throw new DecryptionError();
      return dek;
    };
  return { ...place, publicKey: formatPublicKey({ ...place, bytes: key.publicKey }), unwrap };
}
