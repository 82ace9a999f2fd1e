import { longest } from './deadline.ts';
import { ClientError, type SdkError, timeoutError } from './errors.ts';

/**
 * Calls `stop` if the signal aborts or after `patience` milliseconds. Returns a function that ends the wait and removes
 * the timer and the listener.
 */
export function watch(
  stop: (error: SdkError) => void,
  signal: AbortSignal | undefined,
  patience: number | undefined,
): () => void {
  const abort = (): void => stop(aborted());
  const timer = patience && setTimeout(() => stop(timeoutError()), Math.min(patience, longest));
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) queueMicrotask(abort);
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
}

/**
 * Settles as `work` does, but rejects if the signal aborts or after `patience` milliseconds. An edge platform can
 * freeze the request that started `work`, and `work` then never settles.
 */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal, patience?: number): Promise<T> {
  if (!signal && !patience) return work;
  let end = (): void => undefined;
  return new Promise<T>((resolve, reject) => {
    end = watch(reject, signal, patience);
    void work.then(resolve, reject);
  }).finally(() => end());
}

export function aborted(): ClientError {
  return new ClientError('aborted', 'the call was aborted by its signal');
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(milliseconds, longest));
  });
  return abortable(wait, signal).finally(() => clearTimeout(timer));
}
