// The encryption of a link shortener, for the API keys of its users: AES-256-GCM, and three parts in hex.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const key = Buffer.from(process.env.OLD_KEY, 'hex');

export function encrypt(text) {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const ciphertext = cipher.update(text, 'utf8', 'hex') + cipher.final('hex');
  return `${iv.toString('hex')}:${cipher.getAuthTag().toString('hex')}:${ciphertext}`;
}

export function decrypt(stored) {
  const [iv, tag, ciphertext] = stored.split(':').map((part) => Buffer.from(part, 'hex'));
  const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(tag);
  return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
}
