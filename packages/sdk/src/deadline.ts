/** The longest delay of a JavaScript timer, in milliseconds. A timer with a longer delay fires immediately. */
export const longest = 2 ** 31 - 1;

export type Timer = ReturnType<typeof setTimeout>;

export function later(milliseconds: number, work: () => void): Timer {
  const timer = setTimeout(work, Math.min(milliseconds, longest));
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

interface Waiting {
  readonly works: Set<() => void>;
  readonly run: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

function waitingOn(signal: AbortSignal): Waiting {
  const works = new Set<() => void>();
  const made = { works, run: (): void => works.forEach((work) => work()) };
  waiting.set(signal, made);
  return made;
}

/**
 * Calls `work` if the signal aborts, until the returned function is called. Adds at most one listener to a signal,
 * because Node warns of a memory leak if many concurrent calls each add a listener.
 */
export function onAbort(signal: AbortSignal | null | undefined, work: () => void): () => void {
  if (!signal) return () => undefined;
  const { works, run } = waiting.get(signal) ?? waitingOn(signal);
  if (works.size === 0) signal.addEventListener('abort', run);
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) signal.removeEventListener('abort', run);
  };
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
  const end = onAbort(outer, abort);
  return {
    signal: controller.signal,
    end: (): void => {
      clearTimeout(timer);
      end();
    },
  };
}
