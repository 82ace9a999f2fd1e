import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto';

export interface RsaJwk {
  readonly n: string;
  readonly e: string;
}

export function importRsaPublicKey({ n, e }: RsaJwk): KeyObject {
  return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
}

export function encryptTo(publicKey: KeyObject, secret: Uint8Array): string {
  // The option `oaepHash` also sets the hash of MGF1 in OpenSSL, so MGF1 uses SHA-256 too.
  const oaep = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return publicEncrypt(oaep, secret).toString('base64');
}
