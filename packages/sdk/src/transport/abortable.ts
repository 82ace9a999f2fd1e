import { ClientError, type SdkError, timeoutError } from '../errors.ts';

const watching = new WeakMap<EventTarget, Set<() => void>>();
const abortAll = ({ target }: Event): void =>
  watching.get(target as AbortSignal)?.forEach((abort) => abort());

/**
 * Calls `stop` with an error when the signal aborts or `patience` milliseconds have passed. Returns a function that
 * removes the timer and the listener. All calls with the same signal share one listener, because Node warns of a memory
 * leak if a signal has more than ten listeners.
 */
export function watch(
  stop: (error: SdkError) => void,
  signal: AbortSignal | undefined,
  patience: number | undefined,
): () => void {
  const abort = (): void => stop(aborted());
  const timer = patience && setTimeout(() => stop(timeoutError()), Math.min(patience, longest));
  const aborts = (signal && watching.get(signal)) ?? new Set();
  if (signal) {
    watching.set(signal, aborts.add(abort));
    signal.addEventListener('abort', abortAll);
    if (signal.aborted) void Promise.resolve().then(abort);
  }
  return () => {
    clearTimeout(timer);
    aborts.delete(abort);
    if (aborts.size === 0) signal?.removeEventListener('abort', abortAll);
  };
}

/**
 * Settles as `work` does, but rejects when the signal aborts or `patience` milliseconds have passed. Without this time
 * limit, a call could wait forever: an edge platform can freeze the request that started `work`, and then `work` never
 * settles.
 */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal, patience?: number): Promise<T> {
  if (!signal && !patience) return work;
  let end = (): void => undefined;
  return new Promise<T>((resolve, reject) => {
    end = watch(reject, signal, patience);
    void work.then(resolve, reject);
  }).finally(() => end());
}

/** As `abortable`, for work with a signal of its own: it aborts when the promise rejects, so the work can end too. */
export function within<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
  patience: number,
): Promise<T> {
  const controller = new AbortController();
  return abortable(work(controller.signal), signal, patience).catch((error: unknown) => {
    controller.abort();
    throw error;
  });
}

export const aborted = () => new ClientError('aborted', 'the call was aborted by its signal');

/** The longest delay of a JavaScript timer, in milliseconds. A timer with a longer delay fires immediately. */
export const longest = 2 ** 31 - 1;

export type Timer = ReturnType<typeof setTimeout>;

export function later(milliseconds: number, work: () => void): Timer {
  const timer = setTimeout(work, Math.min(milliseconds, longest));
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
