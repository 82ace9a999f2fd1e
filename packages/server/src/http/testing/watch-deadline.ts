import { onTestFinished, vi } from 'vitest';
import { timeLimit } from '../../base/time-limit.ts';

/**
 * Makes all timers run `speed` times faster than normal, except the server's deadline for closing, which becomes a minute.
 * Returns a function that tells whether this deadline has passed.
 */
export function watchDeadline(speed: number): () => boolean {
  let isOverdue = false;
  const later = setTimeout;
  const schedule = (run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
    if (milliseconds !== timeLimit(10_000)) return later(run, milliseconds / speed, ...args);
    return later(() => {
      isOverdue = true;
      run(...args);
    }, 60_000);
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(schedule as typeof setTimeout);
  onTestFinished(() => void vi.restoreAllMocks());
  return () => isOverdue;
}
