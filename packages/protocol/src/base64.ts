// Canonical base64: some bytes have exactly one text, so nobody can change the text of a ciphertext and keep its meaning. Decoded
// bytes may be keys, so they leave the memory that Buffer shares.
import { lendBase64, toBase64, viewBase64 } from '#base64';
import { InputError } from './errors.ts';

export { lendBase64, toBase64, viewBase64 };

/**
 * Decodes canonical base64. Throws InputError for any other text. The error message contains `name` and never contains
 * `text`.
 */
export function fromBase64(text: string, name = 'value'): Uint8Array<ArrayBuffer> {
  const bytes = typeof text === 'string' && readBase64(text);
  if (!bytes) throw new InputError(`${name} is not canonical base64 (standard alphabet, with padding)`);
  return bytes;
}

/** Whether the text is canonical base64. */
export function isBase64(text: string): boolean {
  return viewBase64(text)?.fill(0) !== undefined;
}

/** Decodes canonical base64. Returns undefined for any other text. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = viewBase64(text);
  if (!bytes || bytes.length === bytes.buffer.byteLength) return bytes;
  // Moves the bytes out of Buffer's shared pool. Other code can read the pool, and the bytes might be a key.
  const own = new Uint8Array(bytes);
  bytes.fill(0);
  return own;
}
