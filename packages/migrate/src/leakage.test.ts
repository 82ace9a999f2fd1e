import { expect, test } from 'vitest';
import { leakageTable, measureLeakage, publicList } from './leakage.ts';

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
  expect(line).toMatch(/^name_index +4 +50\.0 % +91\.7 % +91\.7 %$/);
});

test('a list in another order than the table names fewer rows', async () => {
  const lists = { name_index: ['Mary', 'Zoe', 'Anna', 'Ed'].map((value) => ({ value })) };
  const options = { columns, lists, truth: { name_index: 'true_name' } };
  const { columns: found } = await measureLeakage(databaseOf(marks, 12), 'people', options);
  expect(found[0]?.matching).toEqual({ guessed: 12, right: 7 });
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
    '`people` has no column `postal_code`: pass the name that it has',
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

test('a list with frequencies in some lines only throws, with the line', () => {
  expect(() => publicList('Mary,3\nAnna\nZoe,1')).toThrow('line 2');
});
