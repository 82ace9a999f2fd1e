import { expect, test } from 'vitest';
import { Counts } from './entry-counts.ts';

type Link = Parameters<Counts['appended']>[1];

const minute = 60_000;

function linkAt(time: number, ...counts: readonly (readonly [action: string, count: number])[]): Link {
  const next = { created_at: time } as Link['next'];
  const runs = counts.map(([action, count]) => ({ action, first: 1, last: count }) as Link['runs'][number]);
  return { runs, next };
}

test('entries are counted by action', () => {
  const counts = new Counts();
  counts.appended('ann', linkAt(0, ['key.wrap', 2], ['key.unwrap', 3]));
  counts.appended('bob', linkAt(0, ['key.wrap', 1]));
  expect([counts.appends, counts.entries]).toEqual([2, 6]);
  expect(['key.wrap', 'key.unwrap', 'decrypt'].map((action) => counts.byAction.get(action))).toEqual([
    3, 3, 0,
  ]);
});

test('the busiest tenant is that of the last full minute', () => {
  const counts = new Counts();
  counts.appended('ann', linkAt(minute, ['key.unwrap', 3], ['key.wrap', 9]));
  counts.appended('ann', linkAt(minute + 1, ['decrypt', 1]));
  counts.appended('bob', linkAt(minute + 2, ['key.unwrap', 2]));
  expect(counts.busiest(minute + 3)).toBe(0);
  expect(counts.busiest(2 * minute)).toBe(4);
  counts.appended('bob', linkAt(2 * minute + 1, ['key.unwrap', 1]));
  expect(counts.busiest(3 * minute)).toBe(1);
  expect(counts.busiest(5 * minute)).toBe(0);
});

test('appends whose head had moved are counted by full minutes', () => {
  const counts = new Counts();
  for (const time of [minute, minute + 1, 2 * minute]) counts.moved(time);
  expect([counts.conflicts, counts.movedLately(2 * minute + 1)]).toEqual([3, 2]);
  expect([3, 5].map((nth) => counts.movedLately(nth * minute))).toEqual([1, 0]);
});

test('an append that succeeds ends the failure of an earlier one', () => {
  const counts = new Counts();
  counts.unwritten();
  expect([counts.failures, counts.failedAt]).toEqual([1, expect.any(Number)]);
  counts.appended('ann', linkAt(0, ['key.wrap', 1]));
  expect([counts.failures, counts.failedAt]).toEqual([1, null]);
});
