import * as z from 'zod/mini';

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Bits of a number in base64url, or 0 where the text is not the one spelling of it. */
function bitsOf(text: string): number {
  if (!/^[0-9A-Za-z_-]+$/.test(text) || text.length % 4 === 1) return 0;
  const slack = [0, 0, 15, 3][text.length % 4] ?? 0;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  if (alphabet.indexOf(text.slice(-1)) & slack) return 0;
  const first = (alphabet.indexOf(text.charAt(0)) << 2) | (alphabet.indexOf(text.charAt(1)) >> 4);
  const bytes = Math.floor((text.length * 3) / 4);
  return first === 0 ? 0 : (bytes - 1) * 8 + (32 - Math.clz32(first));
}

/** An RSA public key as a JWK (RFC 7517): 3,072 to 8,192 bits, exponent 65537. Other members are ignored. */
export const rsaPublicKey = z.looseObject({ kty: z.string(), n: z.string(), e: z.string() }).check(
  z.superRefine((jwk, issue) => {
    const refuse = (message: string) => issue.addIssue({ code: 'custom', message });
    const bits = bitsOf(jwk.n);
    if (jwk.kty !== 'RSA') refuse('is not an RSA key (`kty`)');
    else if (privateMembers.some((member) => Object.hasOwn(jwk, member))) {
      refuse('is a private key: send only `kty`, `n` and `e`');
    } else if (jwk.e !== 'AQAB') refuse('has another exponent than 65537 (`e` must be AQAB)');
    else if (bits < 3072 || bits > 8192) refuse('has a modulus (`n`, base64url) outside 3,072 to 8,192 bits');
  }),
);
