import { expect, onTestFinished, test, vi } from 'vitest';
import { sleep } from './abortable.ts';

test('`sleep` accepts delays that are longer than the longest timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let over = false;
  const delay = sleep(30 * 86_400_000).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(20 * 86_400_000);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(10 * 86_400_000);
  await delay;
});
