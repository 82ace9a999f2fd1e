import { EaasError } from './errors.ts';

/** Waits for what others may be waiting for too: the signal ends this wait, not the work. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(aborted());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export function aborted(): EaasError {
  return new EaasError('aborted', 'the call was aborted by its signal');
}
