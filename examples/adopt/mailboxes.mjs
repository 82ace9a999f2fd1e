// The encryption of a mail client, for the passwords of mailboxes: AES-256-CBC with an HMAC.
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const key = Buffer.from(process.env.OLD_KEY, 'hex');
const macOf = (...parts) => createHmac('sha256', key).update(Buffer.concat(parts)).digest();

export function encrypt(text) {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `v1$${Buffer.concat([macOf(iv, ciphertext), iv, ciphertext]).toString('base64')}`;
}

export function decrypt(stored) {
  const bytes = Buffer.from(stored.slice('v1$'.length), 'base64');
  const [mac, iv, ciphertext] = [bytes.subarray(0, 32), bytes.subarray(32, 48), bytes.subarray(48)];
  if (!timingSafeEqual(mac, macOf(iv, ciphertext))) throw new Error('altered, or under another key');
  const decipher = createDecipheriv('aes-256-cbc', key, iv);
  return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
}
