// Encrypts and decrypts streams, chunk by chunk, with the engine that the caller passes.
import { concatBytes } from '@noble/ciphers/utils.js';
import { wipeDataKey } from './data-key.ts';
import type { Engine } from './engines/engine.ts';
import { truncated } from './envelope.ts';
import { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
import { streamChunkLength, tagLength } from './format-sizes.ts';
import type { SealOptions, Unwrap, Wrap } from './seal.ts';
import { joinEnds } from './stream-ends.ts';
import {
  createStream,
  findStreamHead,
  maxHeadLength,
  openChunk,
  openHead,
  sealChunk,
  sealedChunkLength,
  type StreamKey,
} from './stream-format.ts';

/** The context and the engine of a stream, a signal to stop it, and a callback for its progress. */
export interface StreamOptions extends SealOptions {
  /** If the signal aborts, both ends of the stream fail with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each chunk with the number of plaintext bytes so far. If this function throws, the stream fails with
   * the thrown error.
   */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/**
 * Options with an engine. The caller must pass an engine, because importing a default engine would make this module
 * large.
 */
export type WithEngine<Options> = Options & { readonly engine: Engine };

/** Returns a transform that encrypts a stream. */
export function sealStream(
  wrap: Wrap,
  { context, engine, signal, onProgress }: WithEngine<StreamOptions>,
): TransformStream<Uint8Array, Uint8Array> {
  let streamKey: StreamKey;
  let index = 0;
  let done: number | undefined;
  return joinEnds(
    {
      chunkLength: streamChunkLength,
      async begin() {
        const created = await createStream(wrap, engine, context);
        ({ streamKey } = created);
        return created.head;
      },
      chunk: (bytes, last) => sealChunk(streamKey, bytes, index++, last),
      released(result) {
        // The first bytes of the result are the head of the stream, which contains no plaintext. `onProgress` therefore
        // first gets 0.
        done = done === undefined ? 0 : done + result.length - tagLength;
        onProgress?.(done);
      },
      over: () => streamKey && wipeDataKey(streamKey),
    },
    signal,
  );
}

/** Returns a transform that decrypts a stream. */
export function openStream(
  unwrap: Unwrap,
  { context, engine, signal, onProgress, ...expected }: WithEngine<StreamOptions & ExpectedKey>,
): TransformStream<Uint8Array, Uint8Array> {
  let start: Uint8Array = new Uint8Array(0);
  let streamKey: StreamKey | undefined;
  let index = 0;
  let done = 0;

  const readHead = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const before = start.length;
    start = concatBytes(start, bytes.subarray(0, maxHeadLength - before));
    const head = findStreamHead(start);
    if (!head) return bytes.subarray(bytes.length);
    requireExpectedKey(head.keyId, expected, head.wrappedKey);
    streamKey = await openHead(head, unwrap, engine, context);
    return bytes.subarray(head.end - before);
  };

  return joinEnds(
    {
      chunkLength: sealedChunkLength,
      head: (bytes) => (streamKey ? bytes : readHead(bytes)),
      chunk(bytes, last) {
        if (!streamKey) throw truncated();
        // What is before it is authentic, so key, context and person are right.
        const reason = `the stream was cut short or altered after ${index * streamChunkLength} bytes`;
        return openChunk(streamKey, bytes, index, last, index++ === 0 ? undefined : reason);
      },
      released(result) {
        done += result.length;
        onProgress?.(done);
      },
      over: () => streamKey && wipeDataKey(streamKey),
    },
    signal,
  );
}
