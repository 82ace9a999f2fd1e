/** The longest delay of a JavaScript timer, in milliseconds. A timer with a longer delay fires immediately. */
export const longest = 2 ** 31 - 1;

export type Timer = ReturnType<typeof setTimeout>;

export function later(milliseconds: number, work: () => void): Timer {
  const timer = setTimeout(work, Math.min(milliseconds, longest));
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

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
