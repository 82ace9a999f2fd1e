import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { Shares, type SharesOptions } from './shares.ts';

beforeEach(() => {
  setTimeLimits(1);
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

function watched(options: SharesOptions) {
  const shares = new Shares(options);
  const releases: (() => void)[] = [];
  const log: string[] = [];
  const note = async (tenantId: string, taking: Promise<() => void>): Promise<void> => {
    try {
      releases.push(await taking);
      log.push(tenantId);
    } catch (error) {
      log.push(`${tenantId} ${(error as { code: string }).code}`);
    }
  };
  const take = (tenantId: string, units = 1, signal?: AbortSignal): void => {
    void note(tenantId, shares.take(tenantId, units, signal));
  };
  const release = (): void => releases.shift()?.();
  const served = async (milliseconds = 0): Promise<string> => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return log.splice(0).join(', ');
  };
  return { shares, take, release, served };
}

test('a tenant with many small requests gets at most half of the free capacity', async () => {
  const { shares, take, served } = watched({ capacity: 8 });
  for (const tenantId of Array.from('aaaaaa')) take(tenantId);
  expect(await served()).toBe('a, a, a, a');
  for (const tenantId of Array.from('bbbc')) take(tenantId);
  expect(await served()).toBe('b, b, c');
  expect(shares.counts).toEqual({ held: 7, waiting: 3, refused: 0 });
});

test('a tenant without running work can use all free capacity', async () => {
  const { take, served } = watched({ capacity: 8 });
  take('a', 7);
  take('b', 2);
  take('c', 1);
  expect(await served()).toBe('a, c');
});

test('a tenant never takes more capacity than its maximum', async () => {
  const { take, release, served } = watched({ capacity: 100, perTenant: 1 });
  for (const tenantId of Array.from('aaab')) take(tenantId);
  expect(await served()).toBe('a, b');
  release();
  expect(await served()).toBe('a');
});

test('waiting tenants get capacity in turn, regardless of their number of requests', async () => {
  const { take, release, served } = watched({ capacity: 1 });
  for (const tenantId of Array.from('aaaabbc')) take(tenantId);
  const order = [await served()];
  for (let i = 0; i < 6; i++) {
    release();
    order.push(await served());
  }
  expect(order.join('')).toBe('abcabaa');
});

test('free capacity goes to every waiting tenant, and not only to the first', async () => {
  const { take, release, served } = watched({ capacity: 10 });
  take('a', 10);
  for (const tenantId of Array.from('bcdd')) take(tenantId, 2);
  expect(await served()).toBe('a');
  release();
  expect(await served()).toBe('b, c, d');
});

test('work that has waited for two seconds is refused', async () => {
  const { shares, take, release, served } = watched({ capacity: 10 });
  take('a', 4);
  take('b', 7);
  take('b', 1);
  expect(await served(1_999)).toBe('a');
  expect(await served(1)).toBe('b unavailable, b');
  expect(shares.counts).toEqual({ held: 5, waiting: 0, refused: 1 });
  release();
  expect(await served()).toBe('');
});

test('the work of a client that disconnects is removed from the queue', async () => {
  const { shares, take, release, served } = watched({ capacity: 1 });
  const client = new AbortController();
  take('a');
  take('b', 1, client.signal);
  take('c');
  client.abort();
  expect(await served()).toBe('a, b unavailable');
  release();
  expect(await served()).toBe('c');
  release();
  expect(shares.counts.held).toBe(0);
});

test('a second call of `release` for the same work does nothing', async () => {
  const shares = new Shares({ capacity: 2 });
  const release = await shares.take('a', 1);
  await shares.take('b', 1);
  release();
  release();
  expect(shares.counts.held).toBe(1);
});

test('work keeps its part of the capacity until it succeeds or fails', async () => {
  const shares = new Shares({ capacity: 1 });
  await expect(shares.run('a', 1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await shares.run('a', 1, async () => shares.counts.held)).toBe(1);
  expect(shares.counts.held).toBe(0);
});

test('a tenant delays others only if they could start in its place', async () => {
  const { shares, take, release, served } = watched({ capacity: 2, perTenant: 1 });
  const delaysOthers = () => Array.from('abc', (tenantId) => shares.delaysOthers(tenantId));
  for (const tenantId of Array.from('aabb')) take(tenantId);
  expect(await served()).toBe('a, b');
  expect(delaysOthers()).toEqual([false, false, false]);
  take('c');
  expect(delaysOthers()).toEqual([true, true, false]);
  release();
  expect(await served()).toBe('c');
  expect(delaysOthers()).toEqual([false, true, true]);
});

test('the time to refuse waiting tenants grows linearly with their number', async () => {
  vi.useRealTimers();
  const count = 2_000;
  const visits = countVisits();
  setTimeLimits(0.005);
  const shares = new Shares({ capacity: 1 });
  await shares.take('a', 1);
  const taking = Array.from({ length: count }, (_, nth) => shares.take(`tenant ${nth}`, 1));
  const outcomes = await Promise.allSettled(taking);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(visits()).toBeLessThan(10 * count);
});

/** Counts the entries that `for` loops read from any `Map`, and returns a function that returns the count. */
function countVisits(): () => number {
  let visits = 0;
  const iterate = Map.prototype[Symbol.iterator];
  const counting = function* (this: Map<unknown, unknown>): MapIterator<[unknown, unknown]> {
    for (const entry of { [Symbol.iterator]: () => iterate.call(this) }) {
      visits++;
      yield entry;
    }
  };
  vi.spyOn(Map.prototype, Symbol.iterator).mockImplementation(counting);
  onTestFinished(() => void vi.restoreAllMocks());
  return () => visits;
}
