// The encryption of a scheduling app, for the OAuth tokens of calendars: the key comes from a passphrase, and the iv has 16 bytes.
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

const key = scryptSync(process.env.OLD_KEY, 'salt', 32);

export function encrypt(text) {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64')).join('.');
}

export function decrypt(stored) {
  const [iv, ciphertext, tag] = stored.split('.').map((part) => Buffer.from(part, 'base64'));
  const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(tag);
  return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
}
