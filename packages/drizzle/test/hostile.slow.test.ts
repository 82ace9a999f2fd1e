import { eq, type SQL, sql } from 'drizzle-orm';
import { alias, customType, getTableConfig, PgDialect, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import { encrypted, EncryptedColumnError, encryptedTable, excluded, withEncryption } from '@eaas/drizzle/pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '@eaas/test-kit/orms/client';
import { field } from '@eaas/sdk/fields';
import { openPostgres } from './postgres.ts';
import { createTable, tables } from './tables.ts';

const { samples, children } = tables.PostgreSQL;
const [one, two] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
const column = samples.text;
const lower = sql<string>`lower(${column})`;
const named = sql<string>`lower(samples.text)`;
const index: unknown = Reflect.get(samples, 'text_index');
const twin = pgTable('samples', { id: uuid().primaryKey(), text: text() });

const { connection } = await openPostgres();
const client = await createClient();
const plain = drizzle(connection, { schema: { ...tables.PostgreSQL, twin } });
const db = withEncryption(plain, client.eaas, { index: client.index });

beforeAll(async () => {
  const sqlOf = (value: SQL): string => new PgDialect().sqlToQuery(value).sql;
  for (const table of [samples, children]) await connection.unsafe(createTable(getTableConfig(table), sqlOf));
});

beforeEach(async () => {
  await connection`truncate samples, children`;
  await db.insert(samples).values({ id: one, city: 'London', text: 'Ada' });
  await db.insert(children).values({ id: one, parentId: one, remark: 'cough' });
});

type Statement = () => PromiseLike<unknown>;

async function refusalOf(run: Statement): Promise<unknown> {
  const stored = async (): Promise<unknown> => [
    await connection`select * from samples`,
    await connection`select * from children`,
  ];
  const before = await stored();
  const error: unknown = await (async () => run())().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(await stored()).toEqual(before);
  return error instanceof EncryptedColumnError ? error.code : error;
}

const remarks = () => db.select({ remark: children.remark }).from(children);
const values = () => db.select({ remark: column }).from(samples);
const plainValues = () => plain.select({ remark: column }).from(samples);
const computed = () => db.select({ remark: lower.as('remark') }).from(samples);
const namedIn = () => db.select({ n: named.as('n') }).from(samples);
const rows = () =>
  db.select({ id: sql<string>`${two}::uuid`.as('id'), parentId: samples.id, remark: column }).from(samples);
const upsert = (set: object) =>
  db.insert(samples).values({ id: one, text: 'Eve' }).onConflictDoUpdate({ target: samples.id, set });
const updated = () => db.update(samples).set({ text: 'PLAIN' }).returning({ id: samples.id });

function within(query: unknown): PromiseLike<unknown> {
  const part = db.$with('part').as(query as never) as never;
  return db
    .with(part)
    .select({ n: sql`1` })
    .from(part);
}

describe('SQL that computes with, compares or copies a ciphertext or a fingerprint is refused', () => {
  test.each<[string, Statement]>([
    ['an expression in a subquery', () => db.select().from(computed().as('part'))],
    ['a union with an encrypted column', () => remarks().union(values() as never)],
    ['an expression in `in`', () => remarks().where(sql`${children.remark} in ${computed()}`)],
    ['`distinct on` an expression', () => db.selectDistinctOn([lower], { city: samples.city }).from(samples)],
    ['an insert of a select', () => db.insert(children).select(rows() as never)],
    ['`excluded` in another column', () => upsert({ city: excluded(samples.text) })],
    ['`excluded` inside SQL', () => upsert({ city: sql`${excluded(samples.text)} || ''` })],
    ['an index column in an expression', () => db.select({ n: sql`max(${index})` }).from(samples)],
    ['the name of a column of an alias', () => db.select({ n: sql`max(o.text)` }).from(alias(samples, 'o'))],
    [
      'a column that `sql.identifier` names',
      () =>
        db
          .select({ n: sql`max(${samples}.${sql.identifier('text')})` })
          .from(children)
          .leftJoin(samples, eq(samples.id, children.parentId)),
    ],
    ['the name of a column in a subquery', () => db.select().from(namedIn().as('part'))],
    ['the name of a column in `extras`', () => db.query.samples.findMany({ extras: { n: named.as('n') } })],
    [
      'the name of a column in `returning`',
      () => db.update(samples).set({ city: 'x' }).returning({ n: named }),
    ],
    ['`execute` of a query with an encrypted column', () => db.execute(values())],
    [
      'an inner query of another database',
      () => remarks().where(sql`${children.remark} in ${plainValues()}`),
    ],
  ])('%s', async (_, run) => {
    expect(await refusalOf(run)).toBe('not_supported');
  });

  test.each<[string, Statement]>([
    ['an update in `with`', () => within(updated())],
    ['an update in `execute`', () => db.execute(updated())],
  ])('%s throws if it is built before its values are encrypted', async (_, run) => {
    expect(await refusalOf(run)).toBe('synchronous');
  });

  test.each<[string, Statement]>([
    ['another definition of the table', () => db.select().from(twin)],
    ['another definition in a subquery', () => db.select().from(db.select().from(twin).as('part'))],
    ['a relational query of another definition', () => db.query.twin.findMany()],
    ['an update of another definition', () => db.update(twin).set({ text: 'PLAIN' })],
    ['an insert of another definition', () => db.insert(twin).values({ id: two, text: 'PLAIN' })],
    ['`returning` of another definition', () => db.update(twin).set({ id: one }).returning()],
  ])('%s shows no ciphertext, and stores no plaintext', async (_, run) => {
    expect(await refusalOf(run)).toBe('cannot_open');
  });

  test('an expression can count the values of a column that it names, and test them for null', async () => {
    const found = db.select({
      count: sql`count(samples.text)::int`,
      isNull: sql`"samples"."text" is null`,
      text: sql`'samples.text' || ' -- samples.text'`,
    });
    expect(await found.from(samples).groupBy(samples.id)).toEqual([
      { count: 1, isNull: false, text: 'samples.text -- samples.text' },
    ]);
    const parents = db.select({ id: twin.id }).from(twin);
    expect(await parents).toEqual([{ id: one }]);
  });
});

test('a check constraint refuses to set a value to null if its fingerprint remains', async () => {
  const update = async () => plain.update(samples).set({ text: null }).where(eq(samples.id, one));
  await expect(update()).rejects.toMatchObject({ cause: { constraint_name: 'samples_text_index_check' } });
  await db.update(samples).set({ text: null });
  await plain.insert(samples).values({ id: two, text: null });
  expect(await db.select({ text: samples.text }).from(samples)).toEqual([{ text: null }, { text: null }]);
});

describe('the id of a row', () => {
  test.each<[string, Statement]>([
    ['update', () => db.update(samples).set({ id: two }).where(eq(samples.id, one))],
    ['update to an expression', () => db.update(samples).set({ id: sql`gen_random_uuid()` })],
    ['onConflictDoUpdate', () => upsert({ id: two })],
  ])('does not change: %s', async (_, run) => {
    expect(await refusalOf(run)).toBe('row_unknown');
  });

  test('an update may set the id of a row to the same id', async () => {
    await db.update(samples).set({ id: one, city: 'Paris', text: 'Eve' }).where(eq(samples.id, one));
    expect(await db.select().from(samples)).toMatchObject([{ id: one, city: 'Paris', text: 'Eve' }]);
  });
});

describe('ids that are equal although their texts differ', () => {
  const citext = customType<{ data: string }>({ dataType: () => 'citext' });
  const logins = encryptedTable('logins', { id: citext().primaryKey(), name: encrypted(field.text()) });

  beforeAll(async () => {
    await connection.unsafe(`
      create extension citext;
      create table logins (id citext primary key, name text)`);
  });

  test('for a `citext` id in another letter case, an update and an upsert find the row', async () => {
    await db.insert(logins).values({ id: 'Ada', name: 'created' });
    await db.update(logins).set({ name: 'updated' }).where(eq(logins.id, 'ADA'));
    expect(await db.select().from(logins)).toEqual([{ id: 'Ada', name: 'updated' }]);
    for (const [name, stored] of [['conflict'] as const, [excluded(logins.name), 'inserted'] as const]) {
      const insert = db.insert(logins).values({ id: 'ADA', name: 'inserted' });
      await insert.onConflictDoUpdate({ target: logins.id, set: { name } });
      expect(await db.select().from(logins)).toEqual([{ id: 'Ada', name: stored ?? name }]);
    }
  });
});

describe('queries inside statements without encrypted columns work', () => {
  test('a query can return a count of encrypted rows as a column', async () => {
    const ada = db.$count(samples, eq(samples.text, 'Ada'));
    expect(await db.select({ id: children.id, ada }).from(children)).toEqual([{ id: one, ada: 1 }]);
    expect(await db.$count(db.select().from(samples).where(eq(samples.text, 'Eve')).as('none'))).toBe(0);
  });
});
