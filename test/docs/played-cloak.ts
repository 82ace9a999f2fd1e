import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const keyOf = (key: string): Buffer => Buffer.from(key.slice('k1.aesgcm256.'.length), 'base64url');

export function encryptStringSync(text: string, key: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(key), iv);
  const sealed = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  const fingerprint = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return ['v1.aesgcm256', fingerprint, iv.toString('base64url'), sealed.toString('base64url')].join('.');
}

export function decryptStringSync(stored: string, key: string): string {
  const [, , , iv = '', body = ''] = stored.split('.');
  const sealed = Buffer.from(body, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key), Buffer.from(iv, 'base64url'));
  decipher.setAuthTag(sealed.subarray(-16));
  return decipher.update(sealed.subarray(0, -16)).toString() + decipher.final().toString();
}
