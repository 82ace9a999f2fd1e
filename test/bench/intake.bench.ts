import { createSecretKey, randomBytes } from 'node:crypto';
import { ml_kem768_x25519 } from '@noble/post-quantum/hybrid.js';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { formatPublicKey, openForIntake } from '@eaas/protocol/internal-intake';
import { intakeCrypto, openIntakeKey } from '../../packages/server/src/crypto/intake.ts';
import type { Benchmark } from './compare.ts';

const tenantId = '00000000-0000-4000-8000-000000000001';
const place = { keyId: '00000000-0000-4000-8000-000000000002', keyVersion: 1 };
const size = 100;

export const benchmark: Benchmark = {
  name: 'intake',
  about: `the opening of ${size} data keys that writers wrapped, compared with noble's X-Wing`,
  async comparisons() {
    const version = createSecretKey(randomBytes(32));
    const { publicKey: bytes, wipe } = openIntakeKey(version, tenantId, place);
    wipe();
    const publicKey = parsePublicKey(formatPublicKey({ ...place, bytes }));
    const wrapped = await Promise.all(
      Array.from({ length: size }, () => wrapForIntake(publicKey, randomBytes(32))),
    );
    const noble = ml_kem768_x25519.keygen();
    const encapsulated = wrapped.map(() => ml_kem768_x25519.encapsulate(noble.publicKey).cipherText);
    return [
      {
        ours: {
          name: 'intake, opened in one call',
          size,
          run: () => {
            const key = openIntakeKey(version, tenantId, place);
            for (const { wrappedKey } of wrapped) {
              const secret = key.decapsulate(wrappedKey);
              const dek = secret && openForIntake(intakeCrypto, place, wrappedKey, secret);
              if (!dek) throw new Error('the private key did not decrypt a wrapped key');
            }
            key.wipe();
          },
        },
        reference: {
          name: 'noble X-Wing decapsulate',
          size,
          run: () => {
            for (const one of encapsulated) ml_kem768_x25519.decapsulate(one, noble.secretKey);
          },
        },
        target: 1 / 0.6,
      },
    ];
  },
};
