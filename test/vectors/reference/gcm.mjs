import { createCipheriv, createDecipheriv } from 'node:crypto';
import { concat } from './bytes.mjs';

export const tagLength = 16;

export function gcmSeal(key, nonce, aad, plaintext) {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
  cipher.setAAD(aad);
  return concat(cipher.update(plaintext), cipher.final(), cipher.getAuthTag());
}

export function gcmOpen(key, nonce, aad, sealed) {
  const body = sealed.subarray(0, sealed.length - tagLength);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(sealed.length - tagLength));
  return concat(decipher.update(body), decipher.final());
}
