import { expect, test } from 'vitest';
import { read, tablesOf } from '@eaas/test-kit/markdown';
import { resultsTable, withTables } from './page-tables.ts';
import type { Report } from './results.ts';

const reports = JSON.parse(read('docs/benchmarks.json')) as readonly Report[];

test('the tables of docs/benchmarks.md agree with docs/benchmarks.json', () => {
  expect(reports.length).toBeGreaterThan(0);
  const page = read('docs/benchmarks.md');
  expect(tablesOf(page)).toEqual(tablesOf(withTables(page, resultsTable(reports))));
  for (const { day } of reports) expect(page).toContain(`on ${day}`);
});
