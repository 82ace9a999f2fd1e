import { concatBytes } from '@noble/ciphers/utils.js';
import { InputError } from './errors.ts';
import { toUtf8 } from './text.ts';

/** A part: text as UTF-8, an integer as decimal ASCII, bytes as they are, or null. */
export type PaePart = string | number | Uint8Array | null;

/**
 * Pre-authentication encoding: one spelling for each list of parts, so that nothing can be moved from one part
 * into its neighbour. `u32(count)`, then each part as `u32(length)` and its bytes; null is `ffffffff`.
 */
export function pae(...parts: readonly PaePart[]): Uint8Array<ArrayBuffer> {
  return concatBytes(u32(parts.length), ...parts.flatMap(encodePart));
}

function encodePart(part: PaePart): Uint8Array[] {
  if (part === null) return [u32(0xffffffff)];
  if (typeof part === 'number' && !Number.isSafeInteger(part)) throw new InputError('not a whole number');
  const text = typeof part === 'number' ? String(part) : part;
  const bytes = typeof text === 'string' ? toUtf8(text) : text;
  return [u32(bytes.length), bytes];
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
