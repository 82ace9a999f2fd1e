// HMAC-SHA-256 in Node, and what it is computed of: the pre-authentication encoding of several parts, without a copy. The
// platform (platform.node.ts) and its sealer use it.
import { InputError, pae, type PaePart } from '@eaas/protocol';
import { using } from '@eaas/protocol/internal';
import { createHmac, hash, type KeyObject } from 'node:crypto';
import type { Secret } from './secret.ts';

const blockLength = 64;
const hashLength = 32;

/** The key object that a secret is. Node takes bytes wherever it takes a key object that is secret. */
export const keyOf = (secret: Secret | Uint8Array): KeyObject => secret as KeyObject;

/** Returns the HMAC of one message. */
export const hmac = (key: Secret | Uint8Array, message: Uint8Array): Uint8Array =>
  createHmac('sha256', keyOf(key)).update(message).digest();

/** Lays a key into the blocks that HMAC begins its two hashes with. */
function layKey(key: Uint8Array, inner: Uint8Array, outer: Uint8Array): void {
  if (key.length > blockLength) {
    throw new RangeError(`an HMAC key must have at most ${blockLength} bytes (got ${key.length})`);
  }
  for (let at = 0; at < blockLength; at++) {
    const byte = key[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
}

// Memory from `allocUnsafeSlow`, because other code can read Buffer's shared pool.
const shownInner = Buffer.allocUnsafeSlow(blockLength + 1_024);
const shownOuter = Buffer.allocUnsafeSlow(blockLength + hashLength);

/**
 * The HMAC of one message, if it is no secret: then it can pass through a text, which takes a third of the time. The message can
 * be secret.
 */
export function shownHmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const end = blockLength + message.length;
  if (end > shownInner.length) return hmac(key, message);
  layKey(key, shownInner, shownOuter);
  shownInner.set(message, blockLength);
  shownOuter.write(hash('sha256', shownInner.subarray(0, end), 'binary'), blockLength, 'latin1');
  shownInner.fill(0, 0, end);
  return Buffer.from(hash('sha256', shownOuter, 'binary'), 'latin1');
}

/**
 * Computes HMAC-SHA-256 of several messages under one key, in half the time of Node's `Hmac`. The caller must call
 * `wipe` after the last message.
 */
export function hmacSha256(key: Secret, messageLength: number) {
  const inner = Buffer.allocUnsafeSlow(blockLength + messageLength);
  const outer = Buffer.allocUnsafeSlow(blockLength + hashLength);
  const rekey = (other: Secret): void => {
    using(keyOf(other).export(), (bytes) => layKey(bytes, inner, outer));
  };
  rekey(key);
  const digestInner = (): void => {
    outer.write(hash('sha256', inner, 'binary'), blockLength, 'latin1');
  };
  return {
    message: inner.subarray(blockLength),
    /** A MAC that is used as a key must be bytes, because strings cannot be wiped. */
    digest(): Buffer {
      digestInner();
      return hash('sha256', outer, 'buffer');
    },
    /** The MAC with one character per byte. */
    digestText(): string {
      digestInner();
      return hash('sha256', outer, 'binary');
    },
    rekey,
    wipe(): void {
      inner.fill(0);
      outer.fill(0);
    },
  };
}

// `paeView` overwrites this memory but never wipes it: a caller with a secret wipes what it got.
const scratch = Buffer.allocUnsafeSlow(65_536);

/** The next call overwrites the returned bytes, so the caller must use them before that call. */
export function paeView(parts: readonly PaePart[]): Uint8Array {
  // A UTF-16 unit takes at most 3 bytes, and an integer at most 17.
  let most = 4;
  for (const part of parts) most += part === null || typeof part === 'number' ? 21 : 4 + 3 * part.length;
  if (most > scratch.length) return pae(...parts);
  let at = scratch.writeUInt32BE(parts.length, 0);
  for (const part of parts) {
    if (part === null) {
      at = scratch.writeUInt32BE(0xffffffff, at);
      continue;
    }
    let length: number;
    if (typeof part === 'object') {
      scratch.set(part, at + 4);
      ({ length } = part);
    } else {
      if (typeof part === 'number' && !Number.isSafeInteger(part)) {
        throw new InputError('numbers for `pae()` must be safe integers');
      }
      const text = String(part);
      length = scratch.write(text, at + 4);
      // If each UTF-16 unit takes one byte in UTF-8, the text is ASCII and has no lone surrogate. Only other text must
      // be checked.
      if (length !== text.length && !text.isWellFormed()) {
        throw new InputError('text must be valid Unicode (got a lone surrogate)');
      }
    }
    at = scratch.writeUInt32BE(length, at) + length;
  }
  return scratch.subarray(0, at);
}
