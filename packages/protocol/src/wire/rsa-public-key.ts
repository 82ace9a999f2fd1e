// Checks RSA public keys before they are used: those that a key is exported to, and those that verify the tokens of an issuer.
import * as z from 'zod/mini';
import { readBase64Url } from '../base64url.ts';
import { reasoned } from './primitives.ts';

/** Decodes base64url without padding. Other text has no bytes. */
export function bytesOf(text: string): Uint8Array {
  return (/^[\w-]+$/.test(text) ? readBase64Url(text) : undefined) ?? new Uint8Array();
}

/** Whether a JWK has a member of a private or a symmetric key. */
export const isPrivate = (jwk: object): boolean =>
  ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].some((member) => Object.hasOwn(jwk, member));

/** Why this is not the modulus of an RSA key with `least` to `most` bits, or undefined if it is. */
export function modulusFault(n: string, least: number, most: number): string | undefined {
  const bytes = bytesOf(n);
  // A number with leading zeros is not valid.
  const bits = bytes[0] ? bytes.length * 8 - Math.clz32(bytes[0]) + 24 : 0;
  if (bits < least || bits > most) {
    const range = `${least.toLocaleString('en')} to ${most.toLocaleString('en')} bits`;
    return `must have a modulus of ${range} (\`n\`, base64url)`;
  }
  // OpenSSL imports a key with an even modulus, and fails only when it encrypts.
  const isEven = ((bytes.at(-1) ?? 0) & 1) === 0;
  return isEven ? 'has an even modulus (`n`): it is not an RSA key' : undefined;
}

export const rsaPublicKey = z.looseObject({ kty: z.string(), n: z.string(), e: z.string() }).check(
  reasoned((jwk) => {
    if (jwk.kty !== 'RSA') return 'must be an RSA key (`kty` must be RSA)';
    if (isPrivate(jwk)) return 'is a private key: send only `kty`, `n` and `e`';
    if (jwk.e !== 'AQAB') return 'must have the exponent 65537 (`e` must be AQAB)';
    return modulusFault(jwk.n, 3_072, 8_192);
  }),
);
