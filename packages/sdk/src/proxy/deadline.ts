import { longest } from '../transport/timers.ts';

/**
 * `AbortSignal.any` and `AbortSignal.timeout` are not used, because Node 20 can garbage-collect their signals too
 * early.
 */
export function deadlineOf(milliseconds: number, outer?: AbortSignal | null, reason?: Error) {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(reason), Math.min(milliseconds, longest));
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    end: (): void => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}
