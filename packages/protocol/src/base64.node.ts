import { Buffer } from 'node:buffer';
import { notBase64 } from './base64-refusal.ts';

// The same promises as in base64.ts, which stands for every other platform; one test holds both to them.

/** Base64 in the standard alphabet, with padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** The bytes of canonical base64: exactly one spelling of each value is accepted, else InputError. */
export function fromBase64(text: string, what = 'value'): Uint8Array<ArrayBuffer> {
  const bytes = readBase64(text);
  if (!bytes) throw notBase64(what);
  return bytes;
}

/** Whether the text is canonical base64. */
export function isBase64(text: string): boolean {
  return viewBase64(text)?.fill(0) !== undefined;
}

/** The bytes of canonical base64, or undefined where the text is none. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = viewBase64(text);
  if (!bytes || bytes.length === bytes.buffer.byteLength) return bytes;
  // Perhaps a key: it moves to memory of its own.
  const own = new Uint8Array(bytes);
  bytes.fill(0);
  return own;
}

/**
 * As readBase64, for what is read and let go. Short ones are a view of the memory that Node's
 * Buffers share, because to allocate for each takes longer than the rest: not for keys, and not to be handed out.
 */
export function viewBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const buffer = Buffer.from(text, 'base64');
  const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  // Buffer reads every wrong spelling too; no two texts are what the same bytes encode to.
  if (buffer.toString('base64') === text) return bytes;
  bytes.fill(0);
  return undefined;
}
