import { constants, createPublicKey, hash, type KeyObject, publicEncrypt } from 'node:crypto';

/** The members of a JWK (RFC 7517) that make an RSA public key, as the wire's schema lets them in. */
export interface RsaJwk {
  readonly n: string;
  readonly e: string;
}

/** The RSA public key of a JWK, or undefined where the modulus is even: OpenSSL takes such a key and then fails. */
export function importRsaPublicKey({ n, e }: RsaJwk): KeyObject | undefined {
  const lastByte = Buffer.from(n, 'base64url').at(-1) ?? 0;
  return lastByte % 2 === 0 ? undefined : createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
}

/** RSA-OAEP (RFC 8017) with SHA-256, MGF1-SHA-256 and an empty label, in base64: what WebCrypto opens. */
export function encryptTo(publicKey: KeyObject, secret: Uint8Array): string {
  // OpenSSL takes the hash of OAEP for MGF1 too.
  const oaep = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return publicEncrypt(oaep, secret).toString('base64');
}

/** The thumbprint of the key (RFC 7638), by which the log names it. */
export function thumbprint({ n, e }: RsaJwk): string {
  return hash('sha256', JSON.stringify({ e, kty: 'RSA', n }), 'base64url');
}
