import { expect, test } from 'vitest';
import { reportRaw } from './plain-fields.ts';

const rows = [
  { id: 1, name: 'Ada' },
  { id: 2, name: null },
];
const reports = [
  [{ column: 'id' }, [1, 2]],
  [{ column: 'name' }, ['Ada', null]],
];

test.each<[string, unknown, unknown]>([
  ['a list of rows', rows, reports],
  ['an object with rows', { rows, rowCount: 2 }, reports],
  ['rows in a list', [rows, []], reports],
  [
    'a row',
    rows[0],
    [
      [{ column: 'id' }, [1]],
      [{ column: 'name' }, ['Ada']],
    ],
  ],
  ['lists of values', [[1, 'Ada', new Uint8Array(2)]], []],
  ['no rows', [], []],
  ['nothing', undefined, []],
])('the columns of a raw result are reported: %s', (_, result, expected) => {
  const found: unknown[] = [];
  reportRaw(result, (...report) => found.push(report));
  expect(found).toEqual(expected);
});

test('of a long raw result, the first rows are reported', () => {
  const lengths: number[] = [];
  const long = Array.from({ length: 1_000 }, (_, id) => ({ id }));
  for (const result of [long, { rows: long }, [long, []]]) {
    reportRaw(result, (_, values) => lengths.push(values.length));
  }
  expect(lengths).toEqual([100, 100, 100]);
});
