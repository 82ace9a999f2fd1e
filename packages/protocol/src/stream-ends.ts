import { Outbox } from './stream-outbox.ts';

type Bytes = Uint8Array;

/** What a transformation does with what is written, and that it is told of its end. */
export interface Work {
  start?(out: Outbox): Promise<void>;
  write(bytes: Bytes, out: Outbox): Promise<void>;
  /** All was written: puts out what is left, and ends when that has succeeded. */
  finish(out: Outbox): Promise<void>;
  /** Called as each result leaves. */
  released(result: Bytes): void;
  /** Wipes what is secret, whichever way it ends: finished, failed, aborted or cancelled. May be called again. */
  over(): void;
}

/**
 * A writable and a readable end around the work. Not the platform's TransformStream: that tells nobody of a cancelled
 * reader in some browsers, and lets one large piece written become as much memory at once.
 */
export function joinEnds(work: Work, signal?: AbortSignal): TransformStream<Bytes, Bytes> {
  const out = new Outbox();
  let input: WritableStreamDefaultController;
  let output: ReadableStreamDefaultController<Bytes>;

  const stop = (reason: unknown): void => {
    signal?.removeEventListener('abort', onAbort);
    out.stop(reason);
    work.over();
    // Each end that is still open; the one that called is not.
    input.error(reason);
    output.error(reason);
  };
  const onAbort = (): void => stop(signal?.reason);

  /** Has a failure leave behind what was put out before it. */
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      out.put(Promise.reject(error));
      work.over();
      throw error;
    } finally {
      // Only now does the key exist, when it was stopped while it was being wrapped.
      if (out.stopped) work.over();
    }
  };

  const readable = new ReadableStream<Bytes>(
    {
      start: (controller) => void (output = controller),
      async pull(controller) {
        try {
          let result = await out.take();
          while (result?.length === 0) result = await out.take();
          if (!result) {
            signal?.removeEventListener('abort', onAbort);
            return controller.close();
          }
          work.released(result);
          controller.enqueue(result);
        } catch (error) {
          stop(error);
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<Bytes>({
    start(controller) {
      input = controller;
      return attempt(async () => work.start?.(out));
    },
    write: (bytes) => attempt(() => work.write(bytes, out)),
    close: () =>
      attempt(async () => {
        await work.finish(out);
        out.end();
        work.over();
      }),
    abort: stop,
  });
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort);
  return { readable, writable };
}
