import { expect, test } from 'vitest';
import { leakageTable, measureLeakage } from './leakage.ts';
import { publicList } from './rank-matching.ts';

interface Row {
  readonly mark: string;
  readonly value?: string;
  readonly n: number;
}

/** A database whose column `name_index` has the given groups. */
function databaseOf(groups: readonly Row[], rows: number) {
  const names = ['id', 'name_index', 'true_name', 'words_index'];
  return {
    query(statement: string): readonly object[] {
      if (statement.includes('pg_attribute')) return names.map((name) => ({ name, type: 'text' }));
      return statement.includes('group by') ? groups : [{ n: String(rows) }];
    },
  };
}

const marks = [
  { mark: 'c', value: 'Zoe', n: 2 },
  { mark: 'a', value: 'Mary', n: 6 },
  { mark: 'd', value: 'Ed', n: 1 },
  { mark: 'b', value: 'Anna', n: 3 },
];
const columns = ['name_index'];

test('the most frequent fingerprint is guessed as the most frequent value, and so on', async () => {
  const report = await measureLeakage(databaseOf(marks, 20), 'people', {
    columns,
    lists: { name_index: publicList('Zoe,1\nAnna;30\r\nMary\t50\n\n') },
    truth: { name_index: 'true_name' },
  });
  expect(report).toMatchObject({
    table: 'people',
    rows: 20,
    columns: [
      {
        column: 'name_index',
        rows: 12,
        distinct: 4,
        topShare: 0.5,
        unique: 1,
        matching: { guessed: 11, right: 11 },
      },
    ],
  });
  const [head, , line] = leakageTable(report).split('\n');
  expect(head).toBe('people: 20 rows');
  expect(line).toMatch(/^name_index +4 +50\.0 % +91\.7 % +\d+\.\d % +91\.7 %$/);
});

test('a list in another order than the table names fewer rows', async () => {
  const lists = { name_index: ['Mary', 'Zoe', 'Anna', 'Ed'].map((value) => ({ value })) };
  const options = { columns, lists, truth: { name_index: 'true_name' } };
  const { columns: found } = await measureLeakage(databaseOf(marks, 12), 'people', options);
  expect(found[0]?.matching).toEqual({ guessed: 12, right: 7, expectedRight: undefined });
});

test('each fingerprint of a cell counts', async () => {
  const groups = [
    { mark: 'a b', n: 2 },
    { mark: 'b c', n: 1 },
  ];
  const { columns: found } = await measureLeakage(databaseOf(groups, 3), 'people', {
    columns: ['words_index'],
  });
  expect(found).toMatchObject([{ rows: 3, fingerprints: 6, distinct: 3, topShare: 1, unique: 1 }]);
});

test.each([
  ['clearly different frequencies are nearly always guessed right', 'A,80\nB,15\nC,5', 0.95, 1],
  ['equal frequencies are guessed right by chance', 'A,1\nB,1\nC,1\nD,1', 0.1, 0.4],
])('in the model, %s', async (_, list, least, most) => {
  const groups = [{ mark: 'a', n: 1_000 }];
  const lists = { name_index: publicList(list) };
  const { columns: found } = await measureLeakage(databaseOf(groups, 1_000), 'people', { columns, lists });
  const share = (found[0]?.matching?.expectedRight ?? 0) / 1_000;
  expect(share).toBeGreaterThanOrEqual(least);
  expect(share).toBeLessThanOrEqual(most);
});

test('a coarser index is measured from true values, and otherwise modelled from the list', async () => {
  const lists = { name_index: publicList('Mary,50\nAnna,30\nZoe,10\nEd,10') };
  const coarser = { name_index: (value: string) => (value < 'M' ? 'A–L' : 'M–Z') };
  const database = databaseOf(marks, 12);
  const truth = { name_index: 'true_name' };
  const measured = await measureLeakage(database, 'people', { columns, lists, truth, coarser });
  expect(measured.columns[0]?.coarser).toMatchObject({
    source: 'measured',
    distinct: 2,
    topShare: 8 / 12,
    matching: { guessed: 12, right: 12 },
  });
  const modelled = await measureLeakage(database, 'people', { columns, lists, coarser });
  expect(modelled.columns[0]?.coarser).toMatchObject({ source: 'modelled', distinct: 2, topShare: 7 / 12 });
  expect(leakageTable(modelled)).toContain('  coarser, modelled');
});

test.each([
  [
    'a column of another table',
    { columns: ['postal_code'] },
    '`people` has no column `postal_code`: pass the name that it has',
  ],
  ['an unknown column', { columns: ['nam_index'] }, 'did you mean `name_index`?'],
  [
    'a list for a column that is not measured',
    { columns, lists: { words_index: [] } },
    '`words_index` is not in `columns`, the index columns of `people` to measure: add it, or name one of name_index',
  ],
  [
    'a coarser index without values',
    { columns, coarser: { name_index: String } },
    'needs the values: pass a list',
  ],
  [
    'a coarser index with a list that is only sorted',
    { columns, coarser: { name_index: String }, lists: { name_index: [{ value: 'Mary' }] } },
    '`coarser` of `name_index` needs the values',
  ],
  ['a misspelt option', { column: columns }, 'did you mean `columns`?'],
])('%s throws', async (_, options, message) => {
  await expect(measureLeakage(databaseOf([], 0), 'people', options as object)).rejects.toThrow(message);
});

test('a list with frequencies in some lines only throws, with the line', () => {
  expect(() => publicList('Mary,3\nAnna\nZoe,1')).toThrow('line 2');
});
