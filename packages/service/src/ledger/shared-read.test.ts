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

test('who waits for the next read does not wait longer than for one that fails', async () => {
  let fail = (): void => {};
  const failing = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('away'));
  });
  const shared = new SharedRead(vi.fn(() => new Promise<never>(() => {})).mockReturnValueOnce(failing));
  const first = shared.run();
  await vi.advanceTimersByTimeAsync(0);
  const next = shared.run();
  fail();
  await expect(first).rejects.toThrow('away');
  await expect(next).rejects.toThrow('away');
});

test('a read is asked for different things only, and for as many as it may be', async () => {
  const read = vi.fn(async (asked: readonly string[]) => asked.length);
  const shared = new SharedRead(read, 0, 2);
  await Promise.all(['a', 'a', 'b', 'c'].map((one) => shared.run([one])));
  expect(read.mock.calls.map(([asked]) => asked)).toEqual([['a', 'b'], ['c']]);
});
