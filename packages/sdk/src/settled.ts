import type { SdkError, Settled } from './errors.ts';

/** One result of many: what went wrong with it does not stop the others. */
export function settle<T>(work: Promise<T>): Promise<Settled<T>> {
  return work.then(
    (value) => ({ ok: true, value }),
    (error: SdkError) => ({ ok: false, error }),
  );
}
