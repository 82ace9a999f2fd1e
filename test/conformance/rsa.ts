import {
  constants,
  createHash,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);
let pair: Promise<{ publicKey: KeyObject; privateKey: KeyObject }> | undefined;

function keys() {
  pair ??= generate('rsa', { modulusLength: 3_072 });
  return pair;
}

export async function publicJwk(): Promise<JsonWebKey> {
  return (await keys()).publicKey.export({ format: 'jwk' });
}

export async function privateJwk(): Promise<JsonWebKey> {
  return (await keys()).privateKey.export({ format: 'jwk' });
}

export async function openOaep(encrypted: string): Promise<Buffer> {
  const { privateKey } = await keys();
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
