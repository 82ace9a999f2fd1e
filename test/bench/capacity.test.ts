import { expect, test } from 'vitest';
import { read, tablesOf } from '../docs/markdown.ts';
import { bytesPerEntry, capacityTables, withTables } from './capacity.ts';
import type { Report } from './results.ts';
import { readyCounter } from './wire.ts';

const reports = JSON.parse(read('docs/benchmarks.json')) as readonly Report[];
const page = read('docs/operating/capacity.md');

test('the tables of docs/operating/capacity.md are computed from docs/benchmarks.json', () => {
  const tables = capacityTables(reports);
  expect(tables.size).toBeGreaterThan(8);
  expect(tablesOf(page)).toEqual(tablesOf(withTables(page, tables)));
});

test('the bytes of an entry are those that the benchmark storage measured', () => {
  const [measured] = tablesOf(read('docs/design/entries-on-disk.md'));
  expect(measured?.head.at(-1)).toBe('sum');
  expect(measured?.rows.map((row) => row.at(-1))).toEqual([String(bytesPerEntry), '328']);
  expect(page).toContain(`needs ${bytesPerEntry} bytes with its indexes`);
});

test('writing the page fails if the page has no marker for a table', () => {
  expect(() => withTables('', capacityTables(reports))).toThrow('must contain <!-- table:');
});

test('round trips are counted even if a message is divided among several packets', () => {
  const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
  // The content of this row looks like the message that is counted.
  const row = Buffer.concat([Buffer.from([0x44, 0, 0, 0, 10]), ready]);
  const all = Buffer.concat([row, ready, row, ready, ready]);
  for (const length of [1, 4, 7, 100]) {
    const count = readyCounter();
    let found = 0;
    for (let at = 0; at < all.length; at += length) found += count(all.subarray(at, at + length));
    expect(found).toBe(3);
  }
});
