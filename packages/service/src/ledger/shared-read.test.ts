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
