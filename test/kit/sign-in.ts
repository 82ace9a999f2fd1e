// An app's sign-in: makes its keys, and tokens that are right or wrong in one way.
import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

const pss = { padding: 6, saltLength: 32 }; // RSA_PKCS1_PSS_PADDING

const kinds = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  Ed25519: () => generateKeyPairSync('ed25519'),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const;

export type Algorithm = keyof typeof kinds;

export const algorithms = Object.keys(kinds) as Algorithm[];

export type SignIn = ReturnType<typeof newSignIn>;

export const textOf = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** Signs two parts of a token, whatever they are. */
export function signed(alg: string, key: KeyObject, header: unknown, claims: unknown): string {
  const input = `${textOf(header)}.${textOf(claims)}`;
  const bytes = Buffer.from(input);
  const signature = () => {
    if (alg === 'HS256') {
      return createHmac('sha256', key.export({ type: 'spki', format: 'pem' }))
        .update(bytes)
        .digest();
    }
    if (alg === 'ES256') return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
    if (alg === 'PS256') return sign('sha256', bytes, { key, ...pss });
    return sign(alg === 'RS256' ? 'sha256' : null, bytes, key);
  };
  return `${input}.${signature().toString('base64url')}`;
}

export const inSeconds = (ahead = 0): number => Math.floor(Date.now() / 1_000) + ahead;

export function newSignIn(alg: Algorithm = 'ES256') {
  const { privateKey: key, publicKey } = kinds[alg]();
  const kid = randomUUID();
  const [issuer, audience] = ['https://sign-in.example', 'https://app.example'];
  return {
    issuer,
    audience,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid },
    key,
    alg,
    /** Makes a token of a user. `claims` and `header` replace members; undefined removes one. */
    token: (user: string, claims: object = {}, header: object = {}) =>
      signed(
        alg,
        key,
        { alg, typ: 'JWT', kid, ...header },
        { iss: issuer, aud: audience, sub: user, iat: inSeconds(), exp: inSeconds(600), ...claims },
      ),
  };
}
