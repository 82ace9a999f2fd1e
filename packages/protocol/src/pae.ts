import { InputError } from './errors.ts';
import { toUtf8 } from './text.ts';

/** A part: text as UTF-8, an integer as decimal ASCII, bytes as they are, or null. */
export type PaePart = string | number | Uint8Array | null;

/**
 * Pre-authentication encoding: one spelling for each list of parts, so that nothing can be moved from one part
 * into its neighbour. `u32(count)`, then each part as `u32(length)` and its bytes; null is `ffffffff`.
 */
export function pae(...parts: readonly PaePart[]): Uint8Array<ArrayBuffer> {
  const encoded = parts.map(encodePart);
  const out = new Uint8Array(encoded.reduce((sum, part) => sum + 4 + (part?.length ?? 0), 4));
  writeUint32(out, 0, parts.length);
  let at = 4;
  for (const part of encoded) {
    writeUint32(out, at, part ? part.length : -1);
    at += 4;
    if (!part) continue;
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Writes the low 32 bits of an integer, big-endian. */
export function writeUint32(out: Uint8Array, at: number, integer: number): void {
  for (let byte = 3; byte >= 0; byte--) {
    out[at + byte] = integer;
    integer >>= 8;
  }
}

function encodePart(part: PaePart): Uint8Array | null {
  if (typeof part === 'number') {
    if (!Number.isSafeInteger(part)) throw new InputError('a number in pae is a whole one');
    part = String(part);
  }
  return typeof part === 'string' ? toUtf8(part) : part;
}
