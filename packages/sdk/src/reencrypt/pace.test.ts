import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from './pace.ts';

test('a pause longer than a timer can wait is a pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let over = false;
  const pause = systemClock.sleep(30 * 86_400_000).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(20 * 86_400_000);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(10 * 86_400_000);
  await pause;
});
