import { type SQL, sql } from 'drizzle-orm';
import * as mysqlCore from 'drizzle-orm/mysql-core';
import * as sqliteCore from 'drizzle-orm/sqlite-core';
import {
  check,
  getTableConfig,
  PgDialect,
  type PgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { checkConstraints, field, part, plaintext } from '@eaas/sdk/fields';
import { describe, expect, test } from 'vitest';
import { encrypted, encryptedTable, fieldsOf } from './pg.ts';
import * as mysql from './mysql.ts';
import * as sqlite from './sqlite.ts';

const definition = expect.objectContaining({ code: 'definition' }) as Error;

const patients = encryptedTable(
  'patients',
  {
    id: uuid().primaryKey(),
    name: encrypted(field.text()).notNull(),
    ssn: encrypted('social', field.text().searchable({ normalize: ['digits'] })).unique('one_ssn'),
    weight: encrypted(field.number().searchable()),
    city: text(),
  },
  { lowEntropy: 'accepted' },
);

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

test('the column of each index of `searchableBy` has a type that fits the fingerprints of the index', () => {
  const indexes = { last4: part.lastCharacters(4), words: part.words() };
  const ssn = mysql.encrypted('no', field.text().searchable().searchableBy(indexes)).unique();
  const extraConfig = (t: { ssn: typeof ssn }) => [mysqlCore.uniqueIndex('one').on(t.ssn as never)];
  const options = { lowEntropy: 'accepted', extraConfig: extraConfig as never } as const;
  const table = mysql.encryptedTable('t', { ssn }, options);
  const config = mysqlCore.getTableConfig(table);
  expect(config.indexes[0]?.config.columns).toMatchObject([{ name: 'no_index' }]);
  expect(config.columns.map((column) => [column.name, column.getSQLType()])).toEqual([
    ['no', 'mediumtext'],
    ['no_index', 'varchar(64)'],
    ['no_last4_index', 'varchar(64)'],
    ['no_words_index', 'mediumtext'],
  ]);
  expect(checkConstraints(fieldsOf(table), 't')).toContain('"no_words_index" ~');
});

const checksOf = (table: PgTable): string[][] =>
  getTableConfig(table).checks.map(({ name, value }) => [name, new PgDialect().sqlToQuery(value).sql]);

describe('constraints and indexes of a table', () => {
  const columns = { id: uuid(), ssn: encrypted(field.text().searchable()), name: encrypted(field.text()) };

  test('unique constraints and indexes of a searchable column use its index column', () => {
    const table = encryptedTable('t', columns, (t) => [
      unique().on(t.id, t.ssn),
      uniqueIndex('one').on(t.ssn),
    ]);
    const { uniqueConstraints, indexes } = getTableConfig(table);
    expect(uniqueConstraints[0]?.columns.map(({ name }) => name)).toEqual(['id', 'ssn_index']);
    expect(indexes[0]?.config.columns).toMatchObject([{ name: 'ssn_index' }]);
  });

  test('a column that is not searchable throws `definition`', () => {
    const table = encryptedTable('t', columns, (t) => [unique('n').on(t.id, t.name)]);
    expect(() => getTableConfig(table)).toThrow(definition);
  });

  test('each column refuses what is no ciphertext, and a check of the app is about the columns themselves', () => {
    const own = (t: typeof columns) => [check('own', sql`${t.ssn} <> ${t.name}`)];
    const all = { ...columns, old: encrypted(field.text({ previous: plaintext() })) };
    const table = (more: object) =>
      checksOf(encryptedTable('t', all, { extraConfig: own as never, ...more }));
    expect(table({})).toEqual([
      ['own', '"t"."ssn" <> "t"."name"'],
      ['t_ssn_encrypted', `"t"."ssn" like 'eaasA%'`],
      ['t_ssn_index_check', '"t"."ssn" is not null or "t"."ssn_index" is null'],
      ['t_name_encrypted', `"t"."name" like 'eaasA%'`],
    ]);
    expect(table({ refusePlaintext: false })).toHaveLength(2);
  });

  test('in SQLite, indexes refuse it: for constraints, drizzle-kit would rebuild the table', () => {
    const table = sqlite.encryptedTable("a'b", { ssn: sqlite.encrypted(field.text()) });
    const { checks, indexes } = sqliteCore.getTableConfig(table);
    const { sql } = new sqliteCore.SQLiteSyncDialect().sqlToQuery(indexes[0]?.config.where as SQL);
    const fail = `json_extract(json_quote("a'b"."ssn"), 'a''b_ssn_encrypted')`;
    expect([sql, checks]).toEqual([`case when not ("a'b"."ssn" glob 'eaasA*') then ${fail} end`, []]);
  });

  test('in SQLite, another index refuses a fingerprint without its ciphertext', () => {
    const columns = { ssn: sqlite.encrypted(field.text().searchable()) };
    const { indexes } = sqliteCore.getTableConfig(sqlite.encryptedTable('t', columns));
    const dialect = new sqliteCore.SQLiteSyncDialect();
    const wheres = indexes.map(({ config }) => dialect.sqlToQuery(config.where as SQL).sql);
    const fail = (name: string) => `then json_extract(json_quote("t"."ssn"), 't_${name}') end`;
    expect(wheres).toEqual([
      `case when not ("t"."ssn" glob 'eaasA*') ${fail('ssn_encrypted')}`,
      `case when not ("t"."ssn" is not null or "t"."ssn_index" is null) ${fail('ssn_index_check')}`,
    ]);
  });

  test('PostgreSQL does not cut off the name of a constraint, which is always the same', () => {
    const namesOf = (key: string): unknown[] =>
      checksOf(encryptedTable('t', { [key]: encrypted(field.text().searchable()) })).map(([name]) => name);
    expect(namesOf('é'.repeat(25))[0]).toBe(`t_${'é'.repeat(25)}_encrypted`);
    expect(namesOf('é'.repeat(26))).toEqual(['eaas_9f6c687f_encrypted', 'eaas_55e079d0_check']);
  });
});

/** Builders of a column as JavaScript sees them, without types. */
const untyped = encrypted as unknown as (field: unknown) => Record<string, () => unknown>;

describe('a definition that cannot work throws `definition`', () => {
  const end = part.lastCharacters(4, { column: 'x' });
  const inTable = (a: object) => () => encryptedTable('t', { a } as never);
  test.each([
    ['unique without searchable', inTable(encrypted(field.text()).unique())],
    ['unique by short fingerprints', inTable(encrypted(field.text().searchable({ bits: 64 })).unique())],
    ['a searchable number without `lowEntropy`', inTable(encrypted(field.number().searchable()))],
    ['a default in the database', () => untyped(field.text())['default']?.()],
    ['searchableBy with another index column', () => untyped(field.text().searchableBy({ end }))],
  ])('%s', (_, define) => {
    expect(define).toThrow(definition);
  });

  test('and names a misspelt option, and the import to a builder of Drizzle', () => {
    const misspelt = () => encryptedTable('t', { a: text() }, { subjct: 'a' } as object);
    expect(misspelt).toThrow('`encryptedTable` has no option `subjct`: did you mean `subject`?');
    expect(() => untyped(text())).toThrow(
      "`encrypted` takes a field (got a column builder of Drizzle): import { field } from '@eaas/sdk/fields', and " +
        'write `encrypted(field.text())`',
    );
  });
});

describe('without `withEncryption`', () => {
  const sent: unknown[] = [];
  const db = drizzle(async (_, params) => {
    sent.push(...params);
    return { rows: [['1', 'eaas…', null, null, null, null, null]] };
  });

  test('plaintext in an encrypted column is never sent to the database', async () => {
    const message =
      'patients.name: a value was about to be sent to the database without encryption: await a statement of the ' +
      'database that `withEncryption` returned';
    const refused = { code: 'not_encrypted', table: 'patients', column: 'name', message };
    const insert = async () => db.insert(patients).values({ id: '1', name: 'Ada' });
    await expect(insert()).rejects.toMatchObject(refused);
    const update = async () => db.update(patients).set({ name: 'Ada' });
    await expect(update()).rejects.toMatchObject(refused);
    expect(sent).toEqual([]);
  });

  test('a query never returns the ciphertext of an encrypted column', async () => {
    for (const read of [db.select(), db.select({ name: patients.name })]) {
      await expect((async () => read.from(patients))()).rejects.toMatchObject({ code: 'not_decrypted' });
    }
  });
});
