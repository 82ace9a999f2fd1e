import { expect, test } from 'vitest';
import { leakageTable, measureLeakage, publicList } from './leakage.ts';

interface Row {
  readonly mark: string;
  readonly n: number;
}

/** A database whose column `name_index` has the given groups. */
function databaseOf(groups: readonly Row[], rows: number) {
  const names = ['id', 'name_index', 'words_index'];
  return {
    query(statement: string): readonly object[] {
      if (statement.includes('pg_attribute')) return names.map((name) => ({ name, type: 'text' }));
      return statement.includes('group by') ? groups : [{ n: String(rows) }];
    },
  };
}

const marks = [
  { mark: 'c', n: 2 },
  { mark: 'a', n: 6 },
  { mark: 'd', n: 1 },
  { mark: 'b', n: 3 },
];
const columns = ['name_index'];

test('the most frequent fingerprint is guessed as the most frequent value, and so on', async () => {
  const report = await measureLeakage(databaseOf(marks, 20), 'people', {
    columns,
    lists: { name_index: publicList('Mary\r\n Anna\n\nZoe\n') },
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
        guessed: 11,
      },
    ],
  });
  const [head, , line] = leakageTable(report).split('\n');
  expect(head).toBe('people: 20 rows');
  expect(line).toMatch(/^name_index +4 +50\.0 % +91\.7 %$/);
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
  [
    'a column of another table',
    { columns: ['postal_code'] },
    'the table "people" has no column `postal_code`',
  ],
  ['an unknown column', { columns: ['nam_index'] }, 'did you mean `name_index`?'],
  [
    'a list for a column that is not measured',
    { columns, lists: { words_index: [] } },
    '`words_index` is not in `columns`, the index columns of `people` to measure: add it, or name one of name_index',
  ],
  ['a misspelt option', { column: columns }, 'did you mean `columns`?'],
])('%s throws', async (_, options, message) => {
  await expect(measureLeakage(databaseOf([], 0), 'people', options as object)).rejects.toThrow(message);
});
