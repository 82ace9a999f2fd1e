import { onTestFinished, vi } from 'vitest';

const deadline = 10_000;

/**
 * Returns a function that tells whether a server has stopped only at its deadline of ten seconds. All other timers run
 * `speed` times as fast as in operation.
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
