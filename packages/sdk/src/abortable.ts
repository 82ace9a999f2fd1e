import { longest } from './deadline.ts';
import { EaasError, late } from './errors.ts';

/**
 * Waits for what others may be waiting for too: the signal ends this wait, not the work. With patience, for so many
 * milliseconds: whoever does the work may be gone, as in a worker the request is that began it.
 */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal, patience?: number): Promise<T> {
  if (!signal && !patience) return work;
  let end = (): void => undefined;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(aborted());
    const timer = patience && setTimeout(() => reject(late()), Math.min(patience, longest));
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    void work.then(resolve, reject);
    // Not when the work ends: it may never do so.
  }).finally(() => end());
}

export function aborted(): EaasError {
  return new EaasError('aborted', 'the call was aborted by its signal');
}
