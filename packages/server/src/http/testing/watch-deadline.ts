import { onTestFinished, vi } from 'vitest';

const deadline = 10_000;

/**
 * Makes all timers run `speed` times faster than normal, except the server's deadline of ten seconds for closing.
 * Returns a function that tells whether this deadline has passed.
 */
export function watchDeadline(speed: number): () => boolean {
  let isOverdue = false;
  const later = setTimeout;
  const schedule = (run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
    if (milliseconds !== deadline) return later(run, milliseconds / speed, ...args);
    return later(() => {
      isOverdue = true;
      run(...args);
    }, deadline);
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(schedule as typeof setTimeout);
  onTestFinished(() => void vi.restoreAllMocks());
  return () => isOverdue;
}
