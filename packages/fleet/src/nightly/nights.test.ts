import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { dueBlocks, dueRows, isDue, nights } from './nights.ts';

const tenantId = randomUUID();
const today = 20_000;

test('each part of a log is verified on exactly one of 30 consecutive nights', () => {
  for (const part of [0, 1, 29, 30, 12_345_678]) {
    const due = Array.from({ length: nights }, (_, nth) =>
      isDue({ tenantId, since: today + nth, tonight: today + nth + 1 }, part),
    );
    expect(due.filter(Boolean)).toHaveLength(1);
  }
});

test('after missed nights, the next verification also reads the parts that were due in these nights', () => {
  for (let part = 0; part < nights; part++) {
    const since = today - 7;
    const one = (tonight: number) => isDue({ tenantId, since: tonight - 1, tonight }, part);
    const any = Array.from({ length: 7 }, (_, nth) => one(since + 1 + nth)).includes(true);
    expect(isDue({ tenantId, since, tonight: today }, part)).toBe(any);
  }
  expect(isDue({ tenantId, since: today - nights, tonight: today }, 7)).toBe(true);
});

test('within 30 nights, the verification reads each entry of a growing log once', () => {
  const seen = new Map<number, number>();
  for (let nth = 0; nth < nights; nth++) {
    const last = 1_000_000 + nth * 3_333;
    for (const block of dueBlocks(
      { tenantId, since: today + nth, tonight: today + nth + 1 },
      { first: 5_001, last },
    )) {
      expect(block.first).toBeLessThanOrEqual(block.last);
      seen.set(block.first, block.last);
    }
  }
  let next = 5_001;
  for (const [first, last] of [...seen].toSorted(([a], [b]) => a - b)) {
    // The test checks only the blocks that existed in the first night. The nightly verification reads later entries as
    // new entries in the night after their append.
    if (first > 1_000_000) break;
    expect(first).toBe(next);
    next = last + 1;
  }
  expect(next).toBeGreaterThan(1_000_000);
});

test('the nightly verification covers every row id within 30 nights', () => {
  const ranges = Array.from({ length: nights }, (_, nth) => [
    ...dueRows({ tenantId, since: today + nth, tonight: today + nth + 1 }),
  ]).flat();
  let next = '00000000-0000-0000-0000-000000000000';
  for (const { after, through } of ranges.toSorted((a, b) => (a.after < b.after ? -1 : 1))) {
    expect(after).toBe(next);
    next = through;
  }
  expect(next).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  expect(ranges).toHaveLength(nights);
});
