import { Outbox } from './stream-outbox.ts';

type Bytes = Uint8Array;

/** What a transformation does with what is written, and that it is told of its end. */
export interface Work {
  start?(out: Outbox): Promise<void>;
  write(bytes: Bytes, out: Outbox): Promise<void>;
  /** All was written: puts out what is left, and resolves when that has succeeded. */
  finish(out: Outbox): Promise<void>;
  /** Called as each result leaves. */
  released(result: Bytes): void;
  /** Wipes what is secret, whichever way it ends: finished, failed, aborted or cancelled. May be called again. */
  over(): void;
}

/**
 * A writable and a readable end around the work. Not the platform's TransformStream: that tells nobody of a cancelled
 * reader in some browsers, and makes as much of one large piece at once as it is large.
 */
export function joinEnds(work: Work, signal?: AbortSignal): TransformStream<Bytes, Bytes> {
  let input: WritableStreamDefaultController;
  let output: ReadableStreamDefaultController<Bytes>;

  const stop = (reason: unknown): void => {
    signal?.removeEventListener('abort', onAbort);
    out.stop(reason);
    work.over();
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
      work.released(result);
      output.enqueue(result);
    } catch (error) {
      stop(error);
    }
  }, stop);

  /** Has a failure leave after all that was put out before it. */
  const failed = (error: unknown): never => {
    work.over();
    out.putFailure(error);
    throw error;
  };
  const settled = (): void => {
    // Only now does the key exist, when it was stopped while the key was being wrapped.
    if (out.stopped) work.over();
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
      return work.start?.(out).then(settled, failed);
    },
    write: (bytes) => work.write(bytes, out).then(settled, failed),
    async close() {
      await work.finish(out).then(settled, failed);
      work.over();
      out.end();
    },
    abort: stop,
  });
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort);
  return { readable, writable };
}
