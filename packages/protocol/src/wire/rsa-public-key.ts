import * as z from 'zod/mini';
import { readBase64 } from '../base64.ts';
import { reasoned } from './primitives.ts';

export const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Decodes base64url without padding. Other text has no bytes. */
export function bytesOf(text: string): Uint8Array {
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/') + padding;
  return (/^[\w-]+$/.test(text) ? readBase64(base64) : undefined) ?? new Uint8Array();
}

/** Decodes a number of an RSA key. One with leading zeros is not valid, and has no bytes. */
export function numberOf(text: string): Uint8Array {
  const bytes = bytesOf(text);
  return bytes[0] === 0 ? new Uint8Array() : bytes;
}

export const bitsOf = (modulus: Uint8Array): number => modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24;

export const rsaPublicKey = z.looseObject({ kty: z.string(), n: z.string(), e: z.string() }).check(
  reasoned((jwk) => {
    const isPrivate = privateMembers.some((member) => Object.hasOwn(jwk, member));
    const modulus = numberOf(jwk.n);
    const bits = bitsOf(modulus);
    if (jwk.kty !== 'RSA') return 'must be an RSA key (`kty` must be RSA)';
    if (isPrivate) return 'is a private key: send only `kty`, `n` and `e`';
    if (jwk.e !== 'AQAB') return 'must have the exponent 65537 (`e` must be AQAB)';
    if (bits < 3072 || bits > 8192) return 'must have a modulus of 3,072 to 8,192 bits (`n`, base64url)';
    // Refuses an even modulus. OpenSSL imports a key with an even modulus, and fails only when it encrypts.
    const isEven = ((modulus.at(-1) ?? 0) & 1) === 0;
    return isEven ? 'has an even modulus (`n`): it is not an RSA key' : undefined;
  }),
);
