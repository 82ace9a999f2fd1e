/** How many milliseconds a timer can wait: one that was to wait longer would run at once. */
export const longest = 2 ** 31 - 1;

/** A signal that aborts when the time is over (for this reason), or when another does. `end` it when the work is done. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** Not AbortSignal.any and AbortSignal.timeout: in Node 20 they are collected while they are waited for, and never abort. */
export function deadlineOf(milliseconds: number, outer?: AbortSignal | null, reason?: Error): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(reason), Math.min(milliseconds, longest));
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}
