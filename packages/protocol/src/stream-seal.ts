import { nobleEngine } from './engines/noble.ts';
import { tagLength } from './envelope.ts';
import { streamChunkLength } from './limits.ts';
import type { SealOptions, Wrap } from './seal.ts';
import type { ChunkCipher } from './stream-chunk.ts';
import { joinEnds } from './stream-ends.ts';
import { createStream } from './stream-head.ts';

/** What a stream is bound to, and by which engine it is sealed. */
export interface StreamOptions extends SealOptions {
  /** Ends the stream at both ends with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called as each chunk leaves, with how many bytes of plaintext are done. What it throws ends the stream. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/**
 * Encrypts a stream of any length in constant memory: the envelope, version 2, chunk by chunk. A fresh DEK is
 * wrapped before the first byte leaves.
 */
export function sealStream(wrap: Wrap, options: StreamOptions = {}): TransformStream<Uint8Array, Uint8Array> {
  const { context, engine = nobleEngine, signal, onProgress } = options;
  let cipher: ChunkCipher;
  let index = 0;
  let done: number | undefined;
  return joinEnds(
    {
      chunkLength: streamChunkLength,
      async begin() {
        const made = await createStream(wrap, engine, context);
        cipher = made.cipher;
        return made.head;
      },
      chunk: (bytes, last) => cipher.seal(bytes, index++, last),
      released(result) {
        // The head leaves first.
        done = done === undefined ? 0 : done + result.length - tagLength;
        onProgress?.(done);
      },
      over: () => cipher?.wipe(),
    },
    signal,
  );
}
