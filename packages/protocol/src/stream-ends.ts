import type { Result } from './stream-chunk.ts';
import { Cutter } from './stream-cutter.ts';
import { Outbox } from './stream-outbox.ts';

type Bytes = Uint8Array;

/** What is done to a stream, chunk by chunk. */
export interface Work {
  /** How long a chunk is that arrives. */
  readonly chunkLength: number;
  /** What leaves before all chunks. */
  begin?(): Promise<Bytes>;
  /** Is shown every piece that arrives, and keeps what stands before the chunks: answers the rest of it. */
  head?(bytes: Bytes): Result;
  chunk(bytes: Bytes, last: boolean): Result;
  /** Called as each result leaves. */
  released?(result: Bytes): void;
  /** Wipes what is secret, whichever way it ends: finished, failed, aborted or cancelled. May be called again. */
  over?(): void;
}

/**
 * A writable and a readable end around the work. Not the platform's TransformStream: that tells nobody of a cancelled
 * reader in some browsers, and makes as much of one large piece at once as it is large.
 */
export function joinEnds(work: Work, signal?: AbortSignal): TransformStream<Bytes, Bytes> {
  const cutter = new Cutter(work.chunkLength);
  let input: WritableStreamDefaultController;
  let output: ReadableStreamDefaultController<Bytes>;

  const wipe = (): void => {
    cutter.wipe();
    work.over?.();
  };
  const stop = (reason: unknown): void => {
    signal?.removeEventListener('abort', onAbort);
    out.stop(reason);
    wipe();
    // Each end that is still open; the one that was given up is not.
    input.error(reason);
    output.error(reason);
  };
  const onAbort = (): void => stop(signal?.reason);

  const out = new Outbox((result) => {
    if (!result) {
      signal?.removeEventListener('abort', onAbort);
      return output.close();
    }
    try {
      work.released?.(result);
      output.enqueue(result);
    } catch (error) {
      stop(error);
    }
  }, stop);

  /** Has a failure leave after all that was put out before it. */
  const failed = async (reason: unknown): Promise<never> => {
    out.putFailure(reason);
    await out.settled().catch(() => undefined);
    wipe();
    throw reason;
  };
  const settled = (): void => {
    // Only now does the key exist, when it was stopped while the key was being wrapped.
    if (out.stopped) wipe();
  };
  const put = async (chunk: Bytes, last: boolean): Promise<void> => {
    const full = out.room();
    if (full) await full;
    out.put(work.chunk(chunk, last));
  };
  const write = async (bytes: Bytes): Promise<void> => {
    const after = work.head?.(bytes) ?? bytes;
    for (const chunk of cutter.push(after instanceof Promise ? await after : after)) await put(chunk, false);
  };

  const readable = new ReadableStream<Bytes>(
    {
      start: (controller) => void (output = controller),
      pull: () => out.want(),
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<Bytes>({
    start(controller) {
      input = controller;
      if (signal?.aborted) return undefined;
      return work
        .begin?.()
        .then((first) => out.put(first))
        .then(settled, failed);
    },
    write: (bytes) => write(bytes).then(settled, failed),
    async close() {
      await put(cutter.rest(), true)
        .then(() => out.settled())
        .catch(failed);
      wipe();
      out.end();
    },
    abort: stop,
  });
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort);
  return { readable, writable };
}
