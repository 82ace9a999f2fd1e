// The encryption of a workflow builder, for the secrets of its connectors: the key is the SHA-256 of a text, and a value is a
// prefix and one run of bytes.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const key = createHash('sha256').update(process.env.OLD_KEY).digest();
const prefix = 'enc:v1:';

export function encrypt(text) {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return prefix + Buffer.concat(parts).toString('base64url');
}

export function decrypt(stored) {
  const bytes = Buffer.from(stored.slice(prefix.length), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
}
