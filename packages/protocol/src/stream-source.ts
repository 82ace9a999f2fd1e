import { concatBytes } from '@noble/ciphers/utils.js';
import { DecryptionError, InputError } from './errors.ts';

/** Where a ciphertext lies that can be read in parts: a file, a Blob, an object in a store. */
export interface RangeSource {
  /** How many bytes the whole ciphertext has. */
  readonly size: number;
  /**
   * The bytes from `start` to before `end`, exactly. A range can be as long as the file: answer a stream unless memory
   * holds that. What it throws passes through untouched.
   */
  read(start: number, end: number, signal?: AbortSignal): RangeContent | Promise<RangeContent>;
}

/** Bytes, or a stream of them. */
export type RangeContent = Uint8Array | ReadableStream<Uint8Array>;

/** A range as a stream, whichever way the source answers. It fails unless it has the length that was asked for. */
export function rangeStream(
  source: RangeSource,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let left = end - start;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const next = async (): Promise<Uint8Array | undefined> => {
    if (left === 0 && !reader) return undefined;
    reader ??= streamOf(await source.read(start, end, signal)).getReader();
    const { done, value } = await reader.read();
    left -= value?.length ?? 0;
    if (left < 0) throw new InputError(`the source answered more than the ${end - start} bytes asked for`);
    // It was that long when it was opened.
    if (done && left > 0) throw new DecryptionError();
    return value;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const bytes = await next();
          if (bytes) controller.enqueue(bytes);
          else controller.close();
        } catch (error) {
          await reader?.cancel(error).catch(() => undefined);
          throw error;
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** All bytes of a short range. */
export async function readRange(
  source: RangeSource,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const reader = rangeStream(source, start, end, signal).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) parts.push(read.value);
  return concatBytes(...parts);
}

function streamOf(content: RangeContent): ReadableStream<Uint8Array> {
  if (!(content instanceof Uint8Array)) return content;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(content);
      controller.close();
    },
  });
}
