import { longest } from './deadline.ts';
import { ClientError, timeoutError } from './errors.ts';

/**
 * Settles as `work` does, but rejects if the signal aborts or after `patience` milliseconds. An edge platform can
 * freeze the request that started `work`, and `work` then never settles.
 */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal, patience?: number): Promise<T> {
  if (!signal && !patience) return work;
  let end = (): void => undefined;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(aborted());
    const timer = patience && setTimeout(() => reject(timeoutError()), Math.min(patience, longest));
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
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
