// HMAC-SHA-256 and what it is computed of: the pre-authentication encoding of several parts, without a copy.
import { InputError, pae, type PaePart, toUtf8 } from '@eaas/protocol';
import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

const blockLength = 64;
const hashLength = 32;

/**
 * Computes HMAC-SHA-256 of several messages under one key, in half the time of Node's `Hmac`. The caller must call
 * `wipe` after the last message.
 */
export function hmacSha256(key: KeyObject, messageLength: number) {
  // The key is kept in memory from `allocUnsafeSlow`, because other code can read Buffer's shared pool.
  const inner = Buffer.allocUnsafeSlow(blockLength + messageLength);
  const outer = Buffer.allocUnsafeSlow(blockLength + hashLength);
  const rekey = (bytes: Uint8Array): void => {
    if (bytes.length > blockLength)
      throw new RangeError(`an HMAC key must have at most ${blockLength} bytes (got ${bytes.length})`);
    for (let at = 0; at < blockLength; at++) {
      const byte = bytes[at] ?? 0;
      inner[at] = byte ^ 0x36;
      outer[at] = byte ^ 0x5c;
    }
    bytes.fill(0);
  };
  rekey(key.export());
  const digestInner = (): void => {
    outer.write(hash('sha256', inner, 'binary'), blockLength, 'latin1');
  };
  return {
    message: inner.subarray(blockLength),
    /** Takes another key, and wipes its bytes. */
    rekey,
    /** A MAC that is used as a key must be bytes, because strings cannot be wiped. */
    digest(): Buffer {
      digestInner();
      return hash('sha256', outer, 'buffer');
    },
    digestText(): string {
      digestInner();
      return hash('sha256', outer, 'binary');
    },
    wipe(): void {
      inner.fill(0);
      outer.fill(0);
    },
  };
}

export const hmac = (key: Uint8Array, message: Uint8Array): Buffer =>
  createHmac('sha256', key).update(message).digest();

export function fieldHash(hashKey: KeyObject, value: string): string {
  return createHmac('sha256', hashKey).update(toUtf8(value)).digest('hex');
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

// `paeView` overwrites this memory but never wipes it: a caller with a secret wipes what it got.
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
