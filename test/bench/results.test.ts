import { expect, test } from 'vitest';
import { read, tablesOf } from '@eaas/test-kit/markdown';
import { parseProcess } from '@eaas/test-kit/processes';
import { resultsTable, withTables } from './page-tables.ts';
import { ownTime } from './machine-load.ts';
import type { Report } from './results.ts';

const reports = JSON.parse(read('docs/benchmarks.json')) as readonly Report[];

test('the tables of docs/benchmarks.md agree with docs/benchmarks.json', () => {
  expect(reports.length).toBeGreaterThan(0);
  const page = read('docs/benchmarks.md');
  expect(tablesOf(page)).toEqual(tablesOf(withTables(page, resultsTable(reports))));
  for (const { day } of reports) expect(page).toContain(`on ${day}`);
});

test('parseProcess adds the CPU time of exited children, and accepts parentheses in the name of the process', () => {
  const stat = '7 (a ) b) S 3 7 7 0 -1 0 0 0 0 0 100 20 3 4 20 0 1 0';
  expect(parseProcess(stat)).toEqual({ pid: 7, parent: 3, time: 127 });
});

test('ownTime adds up the times of a process and of its descendants', () => {
  const processes = [
    { pid: 1, parent: 0, time: 1_000 },
    { pid: 2, parent: 1, time: 1 },
    { pid: 3, parent: 2, time: 10 },
    { pid: 4, parent: 3, time: 100 },
  ];
  expect(ownTime(processes, 2)).toBe(111);
});
