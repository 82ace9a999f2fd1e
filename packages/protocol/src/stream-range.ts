// Reads a part of an encrypted stream, such as one of a large file: fetches and decrypts only the chunks that hold it.
/// <reference lib="esnext.disposable" preserve="true" />
import { wipeDataKey } from './data-key.ts';
import { type EngineMode, onward } from './engines/engine.ts';
import { InputError } from './errors.ts';
import { number, requireOptions } from './options.ts';
import { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
import { streamChunkLength, tagLength } from './format-sizes.ts';
import { type RangeSource, rangeStream, readWhole } from './range-source.ts';
import type { SealOptions, Unwrap } from './seal.ts';
import { joinEnds } from './stream-ends.ts';
import {
  type Layout,
  layoutOf,
  maxHeadLength,
  openChunk,
  openHead,
  parseStreamHead,
  requireOpen,
  requireSize,
  type Result,
  sealedChunkLength,
  type StreamKey,
} from './stream-format.ts';
import type { WithEngine } from './stream-transforms.ts';

/**
 * The plaintext from `start` (default 0) up to, but not including, `end` (default: the size). A number above
 * the size has the same effect as the size.
 */
export interface ByteRange {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An encrypted stream (version 2) that can be read from any position. Every returned byte is authenticated
 * and at its correct position.
 */
export interface EncryptedFile {
  /**
   * The size of the plaintext. The size is authenticated, because `openFile` has decrypted the last chunk.
   */
  readonly size: number;
  /**
   * Returns a range as a stream, in constant memory. Each chunk is authenticated before it is returned. The stream
   * fails with DecryptionError if a chunk was altered.
   */
  stream(range?: ByteRange): ReadableStream<Uint8Array>;
  /** Reads a range into memory. Throws DecryptionError if a chunk of the range was altered. */
  read(range?: ByteRange): Promise<Uint8Array>;
  /** Makes later reads of the file fail. Overwrites the data key in memory if the engine supports overwriting. */
  close(): void;
  /** Closes the file at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/** Options of `openFile`: the context, the engine, the expected key, and a signal to stop opening the file. */
export type FileOptions = SealOptions & ExpectedKey & { readonly signal?: AbortSignal | undefined };

/** Opens an encrypted file, so that parts of it can be decrypted. */
export async function openFile(
  unwrap: Unwrap,
  source: RangeSource,
  { context, engine, signal, ...expected }: WithEngine<FileOptions>,
): Promise<EncryptedFile> {
  const { size } = source;
  requireSize(size);
  const readPart = async (start: number, end: number): Promise<Uint8Array> => {
    const part = rangeStream(source, start, end, signal);
    // The source can ignore the signal.
    return readWhole(signal ? part.pipeThrough(new TransformStream(), { signal }) : part, end - start);
  };
  const endStart = Math.max(0, size - sealedChunkLength);
  const reading = readPart(endStart, size);
  // If unwrapping the data key fails, nothing awaits `reading`. Without this `catch`, its rejection would be unhandled.
  reading.catch(() => undefined);
  const start = endStart === 0 ? reading : readPart(0, Math.min(size, maxHeadLength));
  const head = parseStreamHead(await start);
  requireExpectedKey(head.keyId, expected, head.wrappedKey);
  const layout = layoutOf(size, head.end);
  const streamKey = await openHead(head, unwrap, engine, context);
  try {
    const last = layout.chunks - 1;
    const lastStart = layout.headLength + last * sealedChunkLength;
    (await openChunk(streamKey, (await reading).subarray(lastStart - endStart), last, true)).fill(0);
  } catch (error) {
    wipeDataKey(streamKey);
    throw error;
  }
  const stream = (range: ByteRange = {}): ReadableStream<Uint8Array> =>
    openRange(source, layout, streamKey, boundsOf(range, layout.plaintextSize), range.signal);
  return {
    size: layout.plaintextSize,
    stream,
    async read(range = {}) {
      const { start, end } = boundsOf(range, layout.plaintextSize);
      return readWhole(stream(range), end - start);
    },
    close: () => wipeDataKey(streamKey),
    [Symbol.dispose]: () => wipeDataKey(streamKey),
  };
}

function boundsOf(range: ByteRange, size: number) {
  requireOptions({ start: number, end: number, signal: 'signal' }, range, 'range');
  const { start = 0, end = Infinity } = range;
  const isPlace = (place: number): boolean => Number.isInteger(place) || place === Infinity;
  if (isPlace(start) && isPlace(end) && start >= 0 && end >= start) {
    return { start: Math.min(start, size), end: Math.min(end, size) };
  }
  throw new InputError(`\`start\` and \`end\` must be integers with 0 <= start <= end`);
}

function openRange(
  source: RangeSource,
  layout: Layout,
  streamKey: StreamKey,
  { start, end }: ReturnType<typeof boundsOf>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const chunkAt = (index: number): number => layout.headLength + index * sealedChunkLength;
  let index = Math.floor(start / streamChunkLength);
  // An empty range reads nothing.
  const endIndex = start === end ? index : Math.ceil(end / streamChunkLength);
  // The source might have grown since it was opened, so its current size is not used.
  const size = layout.headLength + layout.plaintextSize + layout.chunks * tagLength;
  const bytes = rangeStream(source, chunkAt(index), Math.min(size, chunkAt(endIndex)), signal);
  const chunk = (sealed: Uint8Array): Result => {
    requireOpen(streamKey);
    if (start === end) return sealed;
    const offset = index * streamChunkLength;
    const opened = openChunk(streamKey, sealed, index, index === layout.chunks - 1);
    index++;
    return onward<EngineMode, Uint8Array, Uint8Array>(opened, (plaintext) =>
      plaintext.subarray(Math.max(0, start - offset), end - offset),
    );
  };
  return bytes.pipeThrough(joinEnds({ chunkLength: sealedChunkLength, chunk }, signal));
}
