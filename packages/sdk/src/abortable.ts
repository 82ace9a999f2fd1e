import { EaasError } from './errors.ts';

/** Waits for what others may be waiting for too: the signal ends this wait, not the work. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let abort: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    abort = () => reject(aborted());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    if (abort) signal.removeEventListener('abort', abort);
  }
}

export function aborted(): EaasError {
  return new EaasError('aborted', 'the call was aborted by its signal');
}
