import { onTestFinished } from 'vitest';
import { stretchTimeLimits, timeLimit } from '../../packages/server/src/base/time-limit.ts';

/** Makes the time limits of the service so many times as long as they usually are, until the test ends. */
export function setTimeLimits(times: number): void {
  const before = timeLimit(1);
  stretchTimeLimits(times);
  onTestFinished(() => stretchTimeLimits(before));
}
