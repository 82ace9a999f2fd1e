import { constants, createHash, type JsonWebKey, privateDecrypt } from 'node:crypto';
import { privateKey, publicKey } from './rsa-key.ts';

export const publicJwk = (): JsonWebKey => publicKey.export({ format: 'jwk' });
export const privateJwk = (): JsonWebKey => privateKey.export({ format: 'jwk' });

export function openOaep(encrypted: string): Buffer {
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return privateDecrypt({ key: privateKey, ...padding }, Buffer.from(encrypted, 'base64'));
}

export function thumbprint({ e, kty, n }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
}

export function jwkOfBits(bits: number): JsonWebKey {
  const bytes = Buffer.alloc(Math.ceil(bits / 8), 0xa5);
  bytes[0] = 1 << ((bits - 1) % 8);
  bytes[bytes.length - 1] = 0xa7; // The modulus must be odd
  return { kty: 'RSA', n: bytes.toString('base64url'), e: 'AQAB' };
}
