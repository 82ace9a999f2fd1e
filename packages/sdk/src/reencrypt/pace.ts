import { aborted } from '../abortable.ts';
import { longest } from '../deadline.ts';

/** Time, for a test to replace. */
export interface Clock {
  /** Milliseconds, from anywhere on. */
  now(): number;
  /** Waits, or until the signal says so. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The platform's. A sleep ends with EaasError `aborted` when its signal says so. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted());
      const stop = (): void => {
        clearTimeout(timer);
        reject(aborted());
      };
      const end = (): void => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const timer = setTimeout(end, Math.min(milliseconds, longest));
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

/** How long to wait before the next page: as long as it asks for, and as the rows of this one are worth. */
export function restAfter(
  rows: number,
  took: number,
  {
    pause = 0,
    rowsPerSecond,
  }: { readonly pause?: number | undefined; readonly rowsPerSecond?: number | undefined },
): number {
  return Math.max(pause, rowsPerSecond ? (rows / rowsPerSecond) * 1_000 - took : 0);
}

/** Does the work for every item, so many at a time, in order. The first error ends it, when what has begun is over. */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (!failed && next < items.length) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker));
  const broken = workers.find((one) => one.status === 'rejected');
  if (broken) throw broken.reason;
  return results;
}
