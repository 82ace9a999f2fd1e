import { InputError, pae, type PaePart } from '@eaas/protocol';

// `paeView` overwrites this memory but never wipes it, so `paeView` must not get secrets.
const scratch = Buffer.allocUnsafeSlow(65_536);

/** The next call overwrites the returned bytes, so the caller must use them before that call. */
export function paeView(parts: readonly PaePart[]): Uint8Array {
  if (mostBytes(parts) > scratch.length) return pae(...parts);
  let at = putLength(parts.length, 0);
  for (const part of parts) at = putPart(part, at);
  return scratch.subarray(0, at);
}

/**
 * Returns an upper limit of the encoded length of the parts. A UTF-16 unit takes at most 3 bytes, and an integer at
 * most 17 bytes.
 */
function mostBytes(parts: readonly PaePart[]): number {
  let most = 4;
  for (const part of parts) most += part === null || typeof part === 'number' ? 21 : 4 + 3 * part.length;
  return most;
}

function putPart(part: PaePart, at: number): number {
  if (part === null) return putLength(0xffffffff, at);
  if (typeof part === 'object') {
    scratch.set(part, at + 4);
    return putLength(part.length, at) + part.length;
  }
  if (typeof part === 'number' && !Number.isSafeInteger(part))
    throw new InputError(
      `a number in a pre-authentication encoding (PAE) must be a safe integer (got ${part})`,
    );
  const text = String(part);
  const written = scratch.write(text, at + 4);
  // If each UTF-16 unit takes one byte in UTF-8, the text is ASCII and has no lone surrogate. Only other text must be
  // checked.
  if (written !== text.length && !text.isWellFormed())
    throw new InputError('text must be valid Unicode (got a lone surrogate)');
  return putLength(written, at) + written;
}

function putLength(length: number, at: number): number {
  return scratch.writeUInt32BE(length, at);
}
