import { type Envelope, parseEnvelope } from '@eaas/protocol';

/** Takes an envelope apart. Throws FormatError when the bytes are none. */
export type Read = (bytes: Uint8Array) => Envelope;

const behindHeader = 44; // iv, commitment
const shortest = behindHeader + 16; // and the tag

/**
 * As parseEnvelope, for rows that follow one another under the same data key: their header is compared instead of taken
 * apart, and their `wrappedKey` is the very same object.
 */
export function createRead(): Read {
  let header = new Uint8Array(0);
  let last: Envelope | undefined;

  return (bytes) => {
    if (!last || bytes.length < header.length + shortest || !beginsWith(bytes, header)) {
      // Copies, so that nothing of the ciphertext is kept.
      const { length } = parseEnvelope(bytes);
      header = new Uint8Array(bytes.subarray(0, length));
      last = parseEnvelope(new Uint8Array(bytes.subarray(0, length + shortest)));
    }
    const { length, version, keyId, keyVersion, wrappedKey, prefix } = last;
    return {
      version,
      keyId,
      keyVersion,
      wrappedKey,
      prefix,
      length,
      iv: bytes.subarray(length, length + 12),
      commitment: bytes.subarray(length + 12, length + behindHeader),
      body: bytes.subarray(length + behindHeader),
    };
  };
}

function beginsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  for (let at = 0; at < start.length; at++) if (bytes[at] !== start[at]) return false;
  return true;
}
