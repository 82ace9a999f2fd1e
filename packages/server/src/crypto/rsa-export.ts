import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto';

export interface RsaJwk {
  readonly n: string;
  readonly e: string;
}

export function importRsaPublicKey({ n, e }: RsaJwk): KeyObject {
  return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
}

export function encryptTo(publicKey: KeyObject, secret: Uint8Array): string {
  // OpenSSL uses `oaepHash` for MGF1 too, so both hashes are SHA-256.
  const oaep = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return publicEncrypt(oaep, secret).toString('base64');
}
