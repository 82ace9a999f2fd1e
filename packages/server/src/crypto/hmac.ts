import { createHmac, hash, type KeyObject } from 'node:crypto';
import { toUtf8 } from '@eaas/protocol';

const blockLength = 64;
const hashLength = 32;

/**
 * Computes HMAC-SHA-256 of several messages under one key, in half the time of Node's `Hmac`. The caller must call
 * `wipe` after the last message.
 */
export function hmacSha256(key: KeyObject, messageLength: number) {
  const bytes = key.export();
  if (bytes.length > blockLength)
    throw new RangeError(`an HMAC key must have at most ${blockLength} bytes (got ${bytes.length})`);
  // The key is kept in memory from `allocUnsafeSlow`, because other code can read Buffer's shared pool.
  const inner = Buffer.allocUnsafeSlow(blockLength + messageLength);
  const outer = Buffer.allocUnsafeSlow(blockLength + hashLength);
  for (let at = 0; at < blockLength; at++) {
    const byte = bytes[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  bytes.fill(0);
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

export function fieldHash(hashKey: KeyObject, value: string): string {
  return createHmac('sha256', hashKey).update(toUtf8(value)).digest('hex');
}
