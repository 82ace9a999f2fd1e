// Stops waiting when a signal aborts or the time is over, and starts timers that keep no process alive.
import { aborted, timeoutError } from '../errors.ts';

const watching = new WeakMap<EventTarget, Set<() => void>>();
const abortAll = ({ target }: Event): void =>
  watching.get(target as AbortSignal)?.forEach((abort) => abort());

/**
 * Settles as `work` does, but rejects when the signal aborts or `patience` milliseconds have passed. Without this time
 * limit, a call could wait forever: an edge platform can freeze the request that started `work`, and then `work` never
 * settles. All calls with the same signal share one listener, because Node warns of a memory leak if a signal has more
 * than ten listeners.
 */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal, patience?: number): Promise<T> {
  const aborts = (signal && watching.get(signal)) ?? new Set();
  let end = (): void => undefined;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(aborted());
    const timer = patience && setTimeout(() => reject(timeoutError()), Math.min(patience, longest));
    if (signal) {
      watching.set(signal, aborts.add(abort));
      signal.addEventListener('abort', abortAll);
      if (signal.aborted) abort();
    }
    end = () => {
      clearTimeout(timer);
      aborts.delete(abort);
      if (aborts.size === 0) signal?.removeEventListener('abort', abortAll);
    };
    void work.then(resolve, reject);
  }).finally(() => end());
}

/** As `abortable`, for work with a signal of its own: it aborts when the promise rejects, so the work can end too. */
export function within<T>(work: (signal: AbortSignal) => Promise<T>, patience: number, signal?: AbortSignal) {
  const controller = new AbortController();
  return abortable(work(controller.signal), signal, patience).catch((error: unknown) => {
    controller.abort();
    throw error;
  });
}

/** The longest delay of a JavaScript timer, in milliseconds. A timer with a longer delay fires immediately. */
export const longest = 2 ** 31 - 1;

export type Timer = ReturnType<typeof setTimeout>;

export function later(milliseconds: number, work: () => void): Timer {
  const timer = setTimeout(work, Math.min(milliseconds, longest));
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
