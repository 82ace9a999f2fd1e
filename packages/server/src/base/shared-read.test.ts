import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedRead } from './shared-read.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('an expensive function runs once for all calls within one second', async () => {
  const work = vi.fn(async () => work.mock.calls.length);
  const shared = new SharedRead(work, 1_000);
  expect(await Promise.all([shared.recent(), shared.recent()])).toEqual([1, 1]);
  vi.advanceTimersByTime(999);
  expect(await shared.recent()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await shared.recent()).toBe(2);
});

test('concurrent calls share one run of the function, even if the run is slow or fails', async () => {
  let fail = (_error: Error): void => {};
  const work = vi.fn(() => new Promise<void>((_, reject) => (fail = reject)));
  const shared = new SharedRead(work, 1_000);
  const first = shared.recent();
  await Promise.resolve();
  vi.advanceTimersByTime(5_000);
  const second = shared.recent();
  expect(work).toHaveBeenCalledTimes(1);
  fail(new Error('away'));
  await Promise.all([first, second].map((run) => expect(run).rejects.toThrow('away')));
  void shared.recent();
  await Promise.resolve();
  expect(work).toHaveBeenCalledTimes(2);
});
