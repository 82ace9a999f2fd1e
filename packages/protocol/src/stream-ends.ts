// Joins the input and the output of a stream in constant memory: cuts chunks, works on a few at once, and waits for the reader.
import { abytes } from '@noble/ciphers/utils.js';
import { isPromise } from './engines/engine.ts';
import type { Result } from './stream-format.ts';

export interface Work {
  readonly chunkLength: number;
  begin?(): Promise<Uint8Array>;
  head?(bytes: Uint8Array): Result;
  chunk(bytes: Uint8Array, last: boolean): Result;
  released?(result: Uint8Array): void;
  over?(): void;
}

/** The number of chunks that an asynchronous engine processes at a time. Each chunk takes 128 KiB. */
const atOnce = 4;

/**
 * Returns a stream that passes its chunks through `work`. Does not use the platform's TransformStream, which processes
 * a large input without waiting for the reader. In some browsers, TransformStream also does not report that the reader
 * has cancelled.
 */
export function joinEnds(work: Work, signal?: AbortSignal): TransformStream<Uint8Array, Uint8Array> {
  const cutter = new Cutter(work.chunkLength);
  let input: WritableStreamDefaultController;
  let output: ReadableStreamDefaultController<Uint8Array>;
  let stopped: { readonly reason: unknown } | undefined;
  let isWanted = false;
  let unsent = 0;
  let most = 1;
  let computed: Promise<unknown> = Promise.resolve();
  let sent: Promise<void> = Promise.resolve();

  const waiters: (() => void)[] = [];
  const notify = (): void => waiters.splice(0).forEach((wake) => wake());
  const until = async (condition: () => boolean): Promise<void> => {
    for (;;) {
      if (stopped) throw stopped.reason;
      if (condition()) return;
      await new Promise<void>((resolve) => waiters.push(resolve));
    }
  };

  const wipe = (): void => {
    cutter.wipe();
    work.over?.();
  };
  const stop = (reason: unknown): void => {
    unwatch();
    stopped ??= { reason };
    notify();
    wipe();
    input.error(reason);
    output.error(reason);
  };
  let unwatch = (): void => undefined;

  const send = async (before: Promise<void>, result: Result): Promise<void> => {
    await before;
    await until(() => isWanted);
    const bytes = await result;
    if (stopped) throw stopped.reason;
    if (bytes.length > 0) {
      isWanted = false;
      work.released?.(bytes);
      output.enqueue(bytes);
    }
    unsent--;
    notify();
  };
  const put = (result: Result): void => {
    unsent++;
    if (isPromise(result)) {
      most = atOnce;
      // Without this `catch`, a rejection of `result` could be unhandled. `send` awaits `result` later, so the stream
      // still fails with the same error.
      result.catch(() => undefined);
      computed = computed.then(() => result);
      computed.catch(() => undefined);
    }
    sent = send(sent, result);
    sent.catch(stop);
  };
  const putChunk = async (chunk: Uint8Array, last: boolean): Promise<void> => {
    await until(() => unsent < most);
    put(work.chunk(chunk, last));
  };

  const step = async (task: () => Promise<unknown>): Promise<void> => {
    try {
      await task();
      // If the stream was stopped before `task` created its data key, `stop` could not yet wipe the data key.
      if (stopped) wipe();
    } catch (reason) {
      put(Promise.reject(reason));
      await computed.catch(() => undefined);
      wipe();
      throw reason;
    }
  };

  const readable = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        output = controller;
      },
      pull() {
        isWanted = true;
        notify();
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<Uint8Array>({
    start(controller) {
      input = controller;
      if (signal?.aborted || !work.begin) return undefined;
      const head = work.begin();
      return step(async () => put(await head));
    },
    write: (bytes) =>
      step(async () => {
        abytes(bytes);
        const rest = await (work.head?.(bytes) ?? bytes);
        for (const chunk of cutter.push(rest)) await putChunk(chunk, false);
      }),
    async close() {
      await step(async () => {
        await putChunk(cutter.rest(), true);
        await computed;
      });
      wipe();
      const end = (): void => {
        unwatch();
        output.close();
      };
      sent.then(end).catch(() => undefined);
    },
    abort: stop,
  });
  if (signal?.aborted) stop(signal.reason);
  else if (signal) unwatch = watch(signal, stop);
  return { readable, writable };
}

type Stop = (reason: unknown) => void;

const watching = new WeakMap<EventTarget, Set<Stop>>();
const stopAll = ({ target }: Event): void => {
  for (const stop of watching.get(target as AbortSignal) ?? []) stop((target as AbortSignal).reason);
};

/**
 * Calls `stop` when the signal aborts. Returns a function that ends this. All streams with the same signal share one
 * listener, because Node warns of a memory leak if a signal has more than ten listeners.
 */
function watch(signal: AbortSignal, stop: Stop): () => void {
  const stops = watching.get(signal) ?? new Set();
  watching.set(signal, stops.add(stop));
  signal.addEventListener('abort', stopAll);
  return () => {
    stops.delete(stop);
    if (stops.size === 0) signal.removeEventListener('abort', stopAll);
  };
}

class Cutter {
  readonly #held: Uint8Array;
  #length = 0;

  constructor(length: number) {
    this.#held = new Uint8Array(length);
  }

  /**
   * Yields pieces of equal length. Each piece is valid only until the next one is requested. Keeps the last piece until
   * more bytes arrive, because the last piece of a stream is processed in a different way.
   */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    const held = this.#held;
    let at = 0;
    if (this.#length > 0) {
      at = Math.min(held.length - this.#length, bytes.length);
      held.set(bytes.subarray(0, at), this.#length);
      this.#length += at;
      if (at === bytes.length) return;
      yield held;
    }
    for (; at + held.length < bytes.length; at += held.length) {
      yield bytes.subarray(at, at + held.length);
    }
    // Copies the rest of the input, because the writer can later overwrite the memory of the input.
    held.set(bytes.subarray(at));
    this.#length = bytes.length - at;
  }

  rest(): Uint8Array {
    return this.#held.subarray(0, this.#length);
  }

  wipe(): void {
    this.#held.fill(0);
  }
}
