import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto';

/** The members of an RSA public key as a JWK (RFC 7517). The schema of the request has checked these members. */
export interface RsaJwk {
  readonly n: string;
  readonly e: string;
}

export function importRsaPublicKey({ n, e }: RsaJwk): KeyObject {
  return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
}

/** Encrypts with RSA-OAEP (RFC 8017), SHA-256, MGF1-SHA-256 and an empty label, as WebCrypto expects. Returns base64. */
export function encryptTo(publicKey: KeyObject, secret: Uint8Array): string {
  // OpenSSL uses the OAEP hash for MGF1 as well.
  const oaep = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return publicEncrypt(oaep, secret).toString('base64');
}
