import { createPublicKey, verify } from 'node:crypto';
import type { VerifyEd25519 } from '../src/log/tlog.ts';

export const verifyEd25519: VerifyEd25519 = (publicKey, signature, message) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};
