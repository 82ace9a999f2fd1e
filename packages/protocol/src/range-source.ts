// Reads parts of a ciphertext from wherever the app stores it, and refuses a source that returns too many or too few bytes.
import { isBytes } from './bytes.ts';
import { incomplete, InputError } from './errors.ts';

/** A ciphertext that can be read in parts, such as a file, a Blob or an object in object storage. */
export interface RangeSource {
  /** The length of the whole ciphertext, in bytes. */
  readonly size: number;
  /**
   * Returns exactly the bytes from `start` up to, but not including, `end`. A range can be as long as the file, so
   * return a stream if a range might not fit into memory. Errors that `read` throws reach the caller
   * unchanged.
   */
  read(
    start: number,
    end: number,
    signal?: AbortSignal,
  ): Uint8Array | ReadableStream<Uint8Array> | Promise<Uint8Array | ReadableStream<Uint8Array>>;
}

export function rangeStream(
  source: RangeSource,
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let left = end - start;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (left === 0 && !reader) return controller.close();
          reader ??= streamOf(await source.read(start, end, signal)).getReader();
          const { done, value } = await reader.read();
          left -= value?.length ?? 0;
          if (left < 0) {
            throw new InputError(
              `\`read\` of the source must return ${end - start} bytes (got ${-left} bytes too many)`,
            );
          }
          if (done && left > 0) throw incomplete();
          if (done) controller.close();
          else controller.enqueue(value);
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

function streamOf(content: Uint8Array | ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (!isBytes(content)) {
    if (typeof content?.getReader === 'function') return content;
    throw new InputError('`read` of the source must return a Uint8Array or a ReadableStream');
  }
  return new ReadableStream({
    start(controller) {
      if (content.length > 0) controller.enqueue(content);
      controller.close();
    },
  });
}

export async function readWhole(stream: ReadableStream<Uint8Array>, length: number): Promise<Uint8Array> {
  const all = new Uint8Array(length);
  const reader = stream.getReader();
  let at = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    all.set(read.value, at);
    at += read.value.length;
  }
  return all;
}
