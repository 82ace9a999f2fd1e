import { getTableColumns, sql } from 'drizzle-orm';
import * as mysqlCore from 'drizzle-orm/mysql-core';
import {
  foreignKey,
  getTableConfig,
  index,
  pgSchema,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { checkConstraints, lastCharacters, words } from '@eaas/sdk/fields';
import { describe, expect, test } from 'vitest';
import {
  columnOf,
  encryptedBytes,
  encryptedJson,
  encryptedNumber,
  encryptedTable,
  encryptedTableIn,
  encryptedText,
  fieldsOf,
} from './pg.ts';
import * as mysql from './mysql.ts';
import * as sqlite from './sqlite.ts';

const lowEntropy = 'accepted';

const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return { ...Object(error) }.code;
  }
};

const searchable = (builder: object, options?: object): unknown =>
  (builder as { searchable(options?: object): unknown }).searchable(options);

const patients = encryptedTable('patients', {
  id: uuid().primaryKey(),
  name: encryptedText().notNull(),
  ssn: encryptedText('social')
    .searchable({ normalize: ['digits'] })
    .unique('one_ssn'),
  weight: encryptedNumber().searchable({ lowEntropy: 'accepted' }),
  city: text(),
});

test('a unique searchable column has a text column and a unique index column', () => {
  const columns = getTableConfig(patients).columns.map((column) => [
    column.name,
    column.getSQLType(),
    column.notNull,
    column.isUnique ? column.uniqueName : undefined,
  ]);
  expect(columns).toEqual([
    ['id', 'uuid', true, undefined],
    ['name', 'text', true, undefined],
    ['social', 'text', false, undefined],
    ['social_index', 'text', false, 'one_ssn'],
    ['weight', 'text', false, undefined],
    ['weight_index', 'text', false, undefined],
    ['city', 'text', false, undefined],
  ]);
});

test('an index column of MySQL is short enough for a unique constraint', () => {
  const table = mysql.encryptedTable('t', { ssn: mysql.encryptedText().searchable().unique() });
  expect(Object.values(getTableColumns(table)).map((column) => column.getSQLType())).toEqual([
    'mediumtext',
    'varchar(64)',
  ]);
});

test('the column of each index of `searchableBy` has a type that fits the fingerprints of the index', () => {
  const indexes = { last4: lastCharacters(4, { lowEntropy }), words: words({ lowEntropy }) };
  const table = mysql.encryptedTable('t', {
    ssn: mysql.encryptedText('no').searchableBy(indexes).searchable(),
  });
  const columns = Object.values(getTableColumns(table)).map((column) => [column.name, column.getSQLType()]);
  expect(columns).toEqual([
    ['no', 'mediumtext'],
    ['no_index', 'varchar(64)'],
    ['no_last4_index', 'varchar(64)'],
    ['no_words_index', 'mediumtext'],
  ]);
  expect(checkConstraints(fieldsOf(table), 't')).toContain('"no_words_index" ~');
});

test('a searchable column of SQLite has an index column, as in PostgreSQL', () => {
  const table = sqlite.encryptedTable('t', { ssn: sqlite.encryptedText().searchable() });
  expect(Object.keys(getTableColumns(table))).toEqual(['ssn', 'ssn_index']);
});

test('an encrypted table of PostgreSQL can be in a named schema', () => {
  const table = encryptedTableIn(
    pgSchema('clinic'),
    'patients',
    { name: encryptedText().searchable() },
    (t) => [index().on(t.name)],
  );
  expect(getTableConfig(table)).toMatchObject({ schema: 'clinic', name: 'patients' });
});

describe('constraints and indexes of a table', () => {
  const columns = { id: uuid(), ssn: encryptedText().searchable(), name: encryptedText() };

  test('unique constraints and indexes of a searchable column use its index column', () => {
    const table = encryptedTable('t', columns, (t) => [
      unique().on(t.id, t.ssn),
      uniqueIndex('one').on(t.ssn.desc()),
    ]);
    const { uniqueConstraints, indexes } = getTableConfig(table);
    expect(uniqueConstraints.map((each) => each.columns.map(({ name }) => name))).toEqual([
      ['id', 'ssn_index'],
    ]);
    expect(indexes[0]?.config.columns).toMatchObject([{ name: 'ssn_index', indexConfig: { order: 'desc' } }]);
  });

  test('also in MySQL', () => {
    const ssn = mysql.encryptedText().searchable();
    const table = mysql.encryptedTable('t', { ssn }, (t) => [mysqlCore.uniqueIndex('one').on(t.ssn)]);
    expect(mysqlCore.getTableConfig(table).indexes[0]?.config.columns).toMatchObject([{ name: 'ssn_index' }]);
  });

  test.each([
    ['a column that is not searchable', encryptedTable('t', columns, (t) => [unique().on(t.id, t.name)])],
    ['an index that is not searchable', encryptedTable('t', columns, (t) => [index().on(t.name)])],
    ['an expression', encryptedTable('t', columns, (t) => [uniqueIndex('x').on(sql`lower(${t.ssn})`)])],
    ['a primary key', encryptedTable('t', columns, (t) => [primaryKey({ columns: [t.id, t.ssn] })])],
    [
      'a foreign key',
      encryptedTable('t', columns, (t) => [foreignKey({ columns: [t.ssn], foreignColumns: [t.ssn] })]),
    ],
  ])('%s throws `schema`', (_, table) => {
    expect(codeOf(() => getTableConfig(table))).toBe('schema');
  });
});

test('`fieldsOf` returns the definition of the fields for the SDK', () => {
  const fields = fieldsOf(patients);
  expect(Object.keys(fields.tables['patients'] ?? {})).toEqual(['id', 'name', 'social', 'weight', 'city']);
  expect(checkConstraints(fields, 'patients')).toContain(`add check ("social" like 'eaasA%')`);
});

describe('a definition that cannot work throws `schema`', () => {
  test.each([
    ['unique without searchable', () => encryptedTable('t', { a: encryptedText().unique() })],
    ['a default in the database', () => encryptedText().default()],
    ['a primary key', () => encryptedText().primaryKey()],
    ['a foreign key', () => encryptedText().references()],
    ['a generated column', () => encryptedText().generatedAlwaysAs()],
    ['an array', () => encryptedText().array()],
    ['searchable bytes', () => searchable(encryptedBytes())],
    ['searchable JSON', () => searchable(encryptedJson())],
    [
      'searchableBy with few bits',
      () => encryptedText().searchableBy({ end: lastCharacters(4, { lowEntropy, bits: 8 }) }),
    ],
    [
      'searchableBy with another index column',
      () => encryptedText().searchableBy({ end: lastCharacters(4, { lowEntropy, column: 'x' }) }),
    ],
    ['searchable with few bits', () => searchable(encryptedText(), { bits: 8 })],
    ['searchable with another index column', () => searchable(encryptedText(), { column: 'x' })],
    [
      'a column with the key of the index column',
      () => encryptedTable('t', { a: encryptedText().searchable(), a_index: text() }),
    ],
  ])('%s', (_, define) => {
    expect(codeOf(define)).toBe('schema');
  });
});

describe('without `encrypted`', () => {
  const sent: unknown[] = [];
  const db = drizzle(async (_, params) => {
    sent.push(...params);
    return { rows: [['1', 'eaas…', null, null, null, null, null]] };
  });

  test('plaintext in an encrypted column is never sent to the database', async () => {
    const insert = async () => db.insert(patients).values({ id: '1', name: 'Ada' });
    await expect(insert()).rejects.toMatchObject({
      code: 'not_encrypted',
      table: 'patients',
      column: 'name',
      message:
        'patients.name: a value was about to be sent to the database without encryption: await a statement of the ' +
        'database that `encrypted` returned',
    });
    const update = async () => db.update(patients).set({ name: 'Ada' });
    await expect(update()).rejects.toMatchObject({ code: 'not_encrypted' });
    expect(sent).toEqual([]);
  });

  test('a query never returns the ciphertext of an encrypted column', async () => {
    await expect((async () => db.select().from(patients))()).rejects.toMatchObject({ code: 'not_decrypted' });
    const partial = async () => db.select({ name: columnOf(patients.name) }).from(patients);
    await expect(partial()).rejects.toMatchObject({ code: 'not_decrypted' });
  });
});
