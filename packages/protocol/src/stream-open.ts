import { concatBytes } from '@noble/ciphers/utils.js';
import { nobleEngine } from './engines/noble.ts';
import { truncated } from './envelope.ts';
import { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
import type { Unwrap } from './seal.ts';
import type { ChunkCipher } from './stream-chunk.ts';
import { joinEnds } from './stream-ends.ts';
import { findStreamHead, maxHeadLength, openHead } from './stream-head.ts';
import type { StreamOptions } from './stream-seal.ts';
import { sealedChunkLength } from './stream-size.ts';

/**
 * Opens a stream of version 2. A chunk leaves only when it is authenticated, and the stream ends without an
 * error only when its last chunk was seen: a cut, a swap or an addition is a DecryptionError.
 */
export function openStream(
  unwrap: Unwrap,
  { context, engine = nobleEngine, signal, onProgress, ...expected }: StreamOptions & ExpectedKey,
): TransformStream<Uint8Array, Uint8Array> {
  let start: Uint8Array = new Uint8Array(0);
  let cipher: ChunkCipher | undefined;
  let index = 0;
  let done = 0;

  /** Gathers the head; answers what follows it in these bytes. */
  const readHead = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const before = start.length;
    start = concatBytes(start, bytes.subarray(0, maxHeadLength - before));
    const head = findStreamHead(start);
    if (!head) return bytes.subarray(bytes.length);
    requireExpectedKey(head.keyId, expected);
    cipher = await openHead(head, unwrap, engine, context);
    return bytes.subarray(head.end - before);
  };

  return joinEnds(
    {
      chunkLength: sealedChunkLength,
      head: (bytes) => (cipher ? bytes : readHead(bytes)),
      chunk(bytes, last) {
        if (!cipher) throw truncated();
        return cipher.open(bytes, index++, last);
      },
      released(result) {
        done += result.length;
        onProgress?.(done);
      },
      over: () => cipher?.wipe(),
    },
    signal,
  );
}
