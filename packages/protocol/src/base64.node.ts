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
  return readBase64(text) !== undefined;
}

/** The bytes of canonical base64, or undefined where the text is none. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  // Memory of its own: what Buffer.from decodes into is shared with every other small Buffer, and keeps a key's bytes.
  const out = new Uint8Array(Math.max(0, (text.length / 4) * 3 - padding));
  const buffer = Buffer.from(out.buffer);
  buffer.write(text, 'base64');
  // Buffer reads every wrong spelling too; no two texts are what the same bytes encode to.
  return buffer.toString('base64') === text ? out : undefined;
}
