// Encodes a list so that no other list has the same bytes. Audit entries, AAD and key derivations rest on it.
import { writeUint32 } from './bytes.ts';
import { InputError } from './errors.ts';
import { toUtf8 } from './text.ts';

/** A part of a pae-encoded list: text in UTF-8, an integer in decimal ASCII, bytes, or null. */
export type PaePart = string | number | Uint8Array | null;

/**
 * Pre-authentication encoding: the number of parts, then the length and the bytes of each part. All numbers are `u32`.
 * The length of null is `ffffffff`.
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

function encodePart(part: PaePart): Uint8Array | null {
  if (typeof part === 'number') {
    if (!Number.isSafeInteger(part)) throw new InputError(`numbers for \`pae()\` must be safe integers`);
    part = String(part);
  }
  return typeof part === 'string' ? toUtf8(part) : part;
}
