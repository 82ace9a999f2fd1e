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
  const view = new DataView(out.buffer);
  view.setUint32(0, parts.length);
  let at = 4;
  for (const part of encoded) {
    view.setUint32(at, part ? part.length : 0xffffffff);
    at += 4;
    if (!part) continue;
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function encodePart(part: PaePart): Uint8Array | null {
  if (typeof part === 'string') return toUtf8(part);
  if (typeof part !== 'number') return part;
  if (!Number.isSafeInteger(part)) throw new InputError('a number in pae is a whole one');
  return toUtf8(String(part));
}
