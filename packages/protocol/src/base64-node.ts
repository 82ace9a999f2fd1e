import { Buffer } from 'node:buffer';

/** Encodes bytes in base64: standard alphabet, with padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/**
 * Decodes canonical base64 faster than readBase64. Do not decode keys with this function: in Node the result can be a
 * view of Buffer's shared pool, which other code can read.
 */
export function viewBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const buffer = Buffer.from(text, 'base64');
  const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  if (buffer.toString('base64') === text) return bytes;
  bytes.fill(0);
  return undefined;
}
