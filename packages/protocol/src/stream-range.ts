import { nobleEngine } from './engines/noble.ts';
import { InputError } from './errors.ts';
import { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
import { streamChunkLength, tagLength } from './limits.ts';
import type { SealOptions, Unwrap } from './seal.ts';
import type { ChunkCipher, Result } from './stream-chunk.ts';
import { joinEnds } from './stream-ends.ts';
import { maxHeadLength, openHead, parseStreamHead } from './stream-head.ts';
import { type Layout, layoutOf, sealedChunkLength } from './stream-size.ts';
import { type RangeSource, rangeStream, readRange } from './stream-source.ts';

/** Which bytes of the plaintext: from `start` (0 where absent) to before `end` (the size), cut to what there is. */
export interface Range {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A stream of version 2 of which any part can be read. Each byte is authentic, and stands where it was sealed. */
export interface EncryptedFile {
  /** The size of the plaintext, authentic: the last chunk was read and is the last. */
  readonly size: number;
  /** The range in constant memory, each chunk as soon as it is authenticated: fails with DecryptionError. */
  stream(range?: Range): ReadableStream<Uint8Array>;
  /** The whole range at once. Throws DecryptionError. */
  read(range?: Range): Promise<Uint8Array>;
  /** Overwrites the key, where the engine can: from then on nothing can be read. */
  close(): void;
}

/** How a part of a stream is opened. */
export type FileOptions = SealOptions & ExpectedKey & { readonly signal?: AbortSignal | undefined };

/**
 * Opens a stream of version 2 that lies somewhere where ranges of it can be read. Reads its head and its last chunk, so
 * that a file that was cut is refused here and the size is known for sure. Throws as openStream does.
 */
export async function openFile(
  unwrap: Unwrap,
  source: RangeSource,
  { context, engine = nobleEngine, signal, ...expected }: FileOptions,
): Promise<EncryptedFile> {
  const { size } = source;
  const endStart = Math.max(0, size - sealedChunkLength);
  const reading = readRange(source, endStart, size, signal);
  // Read while the key is unwrapped; a failure is heard below, or another one before.
  reading.catch(() => undefined);
  const start = endStart === 0 ? reading : readRange(source, 0, Math.min(size, maxHeadLength), signal);
  const head = parseStreamHead(await start);
  requireExpectedKey(head.keyId, expected);
  const layout = layoutOf(size, head.end);
  const cipher = await openHead(head, unwrap, engine, context);
  try {
    const last = layout.chunks - 1;
    const lastStart = layout.headLength + last * sealedChunkLength;
    (await cipher.open((await reading).subarray(lastStart - endStart), last, true)).fill(0);
  } catch (error) {
    cipher.wipe();
    throw error;
  }
  return fileOf(source, layout, cipher);
}

function fileOf(source: RangeSource, layout: Layout, cipher: ChunkCipher): EncryptedFile {
  const stream = (range: Range = {}): ReadableStream<Uint8Array> =>
    openRange(source, layout, cipher, boundsOf(range, layout.plaintextSize), range.signal);
  return {
    size: layout.plaintextSize,
    stream,
    async read(range = {}) {
      const { start, end } = boundsOf(range, layout.plaintextSize);
      const all = new Uint8Array(end - start);
      const reader = stream(range).getReader();
      let at = 0;
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        all.set(read.value, at);
        at += read.value.length;
      }
      return all;
    },
    close: () => cipher.wipe(),
  };
}

interface Bounds {
  readonly start: number;
  readonly end: number;
}

function boundsOf({ start = 0, end = Infinity }: Range, size: number): Bounds {
  const isPlace = (place: number): boolean => Number.isInteger(place) || place === Infinity;
  if (!isPlace(start) || !isPlace(end) || start < 0 || end < start) {
    throw new InputError('a range goes from a whole number to one that is not less');
  }
  return { start: Math.min(start, size), end: Math.min(end, size) };
}

function openRange(
  source: RangeSource,
  layout: Layout,
  cipher: ChunkCipher,
  { start, end }: Bounds,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  if (start === end) return new ReadableStream({ start: (controller) => controller.close() });
  const chunkAt = (index: number): number => layout.headLength + index * sealedChunkLength;
  const endIndex = Math.ceil(end / streamChunkLength);
  let index = Math.floor(start / streamChunkLength);
  // As long as it was when it was opened, whatever the source says by now.
  const size = layout.headLength + layout.plaintextSize + layout.chunks * tagLength;
  const bytes = rangeStream(source, chunkAt(index), Math.min(size, chunkAt(endIndex)), signal);

  const open = (chunk: Uint8Array): Result => {
    const offset = index * streamChunkLength;
    const opened = cipher.open(chunk, index, index === layout.chunks - 1);
    index++;
    const trim = (plaintext: Uint8Array): Uint8Array =>
      plaintext.subarray(Math.max(0, start - offset), end - offset);
    return opened instanceof Promise ? opened.then(trim) : trim(opened);
  };
  return bytes.pipeThrough(joinEnds({ chunkLength: sealedChunkLength, chunk: open }, signal));
}
