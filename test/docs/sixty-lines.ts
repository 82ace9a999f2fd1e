// What an app writes by itself for the tokens of its users, before it looks for a tool: AES-256-GCM under the key in one
// variable, with a checked tag and a prefix for later. tokens.slow.test.ts shows what it lacks.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const prefix = 'enc:v1:';

/** A key of any length and spelling becomes 32 bytes. */
function keyOf(secret: string | undefined): Buffer {
  if (!secret) throw new Error('ENCRYPTION_KEY is not set');
  return createHash('sha256').update(secret).digest();
}

const currentKey = (): Buffer => keyOf(process.env['ENCRYPTION_KEY']);

export function encrypt(text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', currentKey(), iv, { authTagLength: 16 });
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return prefix + [iv, cipher.getAuthTag(), body].map((part) => part.toString('base64')).join(':');
}

const isEncrypted = (stored: string): boolean => stored.startsWith(prefix);

export function decrypt(stored: string, key = currentKey()): string {
  // Rows from before the encryption.
  if (!isEncrypted(stored)) return stored;
  const [iv, tag, body] = stored
    .slice(prefix.length)
    .split(':')
    .map((part) => Buffer.from(part, 'base64'));
  if (!iv || !tag || !body) throw new Error('Malformed encrypted value');
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 });
  decipher.setAuthTag(tag);
  return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
}

/** Encrypts all rows under the current key. */
export async function rotate(
  oldSecret: string,
  read: () => Promise<[id: string, token: string][]>,
  write: (id: string, token: string) => Promise<unknown>,
): Promise<void> {
  const oldKey = keyOf(oldSecret);
  for (const [id, token] of await read()) await write(id, encrypt(decrypt(token, oldKey)));
}
