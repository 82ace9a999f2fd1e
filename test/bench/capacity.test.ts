import { expect, test } from 'vitest';
import { read, tablesOf } from '@eaas/test-kit/markdown';
import { bytesPerEntry, capacityTables, withTables } from './capacity.ts';
import type { Report } from './results.ts';
import { readyCounter } from './wire.ts';

const reports = JSON.parse(read('docs/benchmarks.json')) as readonly Report[];
const page = read('docs/operating/capacity.md');

test('the tables of docs/operating/capacity.md are computed from docs/benchmarks.json', () => {
  const tables = capacityTables(reports);
  expect(tables.size).toBeGreaterThan(4);
  expect(tablesOf(page)).toEqual(tablesOf(withTables(page, tables)));
});

test('the size of an audit entry agrees with the measured bytes', () => {
  const measured = tablesOf(page).find(({ head }) => head.at(-1) === 'sum');
  expect(measured?.rows.map((row) => row.at(-1))).toEqual([String(bytesPerEntry), '328']);
  expect(page).toContain(`needs ${bytesPerEntry} bytes with its indexes`);
});

test('the figures in the sentences of docs/operating/capacity.md agree with the tables and the code of the server', () => {
  const service = read('packages/server/src/app/open-service.ts');
  const [[main = 0, least = 0] = [], ...others] = Array.from(
    service.matchAll(/openPart\((\d+), (\d+)\)/g),
    ([, most, atLeast]) => [Number(most), Number(atLeast)],
  );
  const perWorker = (workers: number): number => Math.max(least, Math.floor(main / workers));
  const all = others.reduce((sum, [most = 0]) => sum + most, main);
  expect([all, 4 * perWorker(4), perWorker(1)]).toEqual([20, 8, 10]);
  expect(page).toMatch(/uses 8 of its 20\s+connections\s+for\s+appends/);
  expect(page).toMatch(/one\s+worker\s+has\s+10/);
  const citus =
    tablesOf(page)
      .find(({ head }) => head.includes('coordinator'))
      ?.rows.at(-1) ?? [];
  expect((Number(citus[5]) / Number(citus[2])).toFixed(1)).toBe('2.7');
  expect(page).toMatch(/2\.7\s+times\s+as\s+many/);
});

test('withTables throws if the page has no marker for a table', () => {
  expect(() => withTables('', capacityTables(reports))).toThrow('must contain the marker <!-- table:');
});

test('round trips are counted even if a message is divided among several packets', () => {
  const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
  // A database row whose data has the bytes of a `ReadyForQuery` message. The counter must ignore these bytes.
  const row = Buffer.concat([Buffer.from([0x44, 0, 0, 0, 10]), ready]);
  const all = Buffer.concat([row, ready, row, ready, ready]);
  for (const length of [1, 4, 7, 100]) {
    const count = readyCounter();
    let found = 0;
    for (let at = 0; at < all.length; at += length) found += count(all.subarray(at, at + length));
    expect(found).toBe(3);
  }
});
