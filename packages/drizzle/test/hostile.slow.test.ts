import { sql } from 'drizzle-orm';
import {
  alias,
  customType,
  getTableConfig,
  numeric,
  PgDialect,
  pgTable,
  text,
  union,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import {
  columnOf,
  encrypted,
  EncryptedColumnError,
  encryptedTable,
  encryptedText,
  eq,
  excluded,
  inArray,
} from '@eaas/drizzle/pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase } from '@eaas/test-kit/database';
import { createClient } from '@eaas/test-kit/orms/client';
import { postgresTables } from './postgresql.ts';

const { samples, children } = postgresTables;
const [one, two] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
const column = columnOf(samples.text);
const lower = sql<string>`lower(${column})`;
const named = sql<string>`lower(samples.text)`;
const index: unknown = Reflect.get(samples, 'text_index');
const twin = pgTable('samples', { id: uuid().primaryKey(), text: text() });
const other = alias(twin, 'other');

const database = await createDatabase();
const connection = postgres({ ...database.connection('owner'), max: 2, onnotice: () => {} });
const client = await createClient();
const plain = drizzle(connection, { schema: { ...postgresTables, twin } });
const db = encrypted(plain, client.eaas, { index: client.index });

beforeAll(async () => {
  await connection.unsafe(`
    create table samples (
      id uuid primary key, city text, code text, code_index text unique,
      text text, text_index text, note text, number text, number_index text, bigint text, bigint_index text,
      boolean text, boolean_index text, date text, date_index text, bytes text, json text
    );
    create table children (id uuid primary key, parent_id uuid, remark text)`);
});

afterAll(async () => {
  await connection.end();
  await database.drop();
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
const computed = () => db.select({ remark: lower.as('remark') }).from(samples);
const namedIn = () => db.select({ n: named.as('n') }).from(samples);
const rows = () =>
  db.select({ id: sql<string>`${two}::uuid`.as('id'), parentId: samples.id, remark: column }).from(samples);
const upsert = (set: object) =>
  db.insert(samples).values({ id: one, text: 'Eve' }).onConflictDoUpdate({ target: samples.id, set });
const updated = () =>
  db
    .update(samples)
    .set({ text: sql`'PLAIN'` })
    .returning({ id: samples.id });
const inserted = () => db.insert(samples).values({ id: two, text: sql`'PLAIN'` } as object);

function within(query: unknown): PromiseLike<unknown> {
  const part = db.$with('part').as(query as never) as never;
  return db
    .with(part)
    .select({ n: sql`1` })
    .from(part);
}

const prepared = (statement: unknown): PromiseLike<unknown> =>
  (statement as { prepare(name: string): { execute(): Promise<unknown> } }).prepare('hostile').execute();

describe('SQL that computes with, compares or copies a ciphertext or a fingerprint is refused', () => {
  test.each<[string, Statement]>([
    ['an expression in a subquery', () => db.select().from(computed().as('part'))],
    ['an expression in `with`', () => within(computed())],
    ['a union with an encrypted column', () => remarks().union(values() as never)],
    ['a union with an expression', () => remarks().union(computed() as never)],
    ['the function `union`', () => union(remarks(), values() as never)],
    ['an expression in `in`', () => remarks().where(sql`${children.remark} in ${computed()}`)],
    ['`distinct on` an expression', () => db.selectDistinctOn([lower], { city: samples.city }).from(samples)],
    ['`execute` of an expression', () => db.execute(computed())],
    ['an insert of a select', () => db.insert(children).select(rows() as never)],
    ['`excluded` in another column', () => upsert({ city: excluded(samples.text) })],
    ['`excluded` inside SQL', () => upsert({ city: sql`${excluded(samples.text)} || ''` })],
    ['an index column in an expression', () => db.select({ n: sql`max(${index})` }).from(samples)],
    [
      'an index column in `extras`',
      () => db.query.samples.findMany({ extras: { n: sql`${index}`.as('n') } }),
    ],
    ['the name of a column in an expression', () => db.select({ n: named }).from(samples)],
    ['the quoted name of a column', () => db.select({ n: sql`lower("samples"."text")` }).from(samples)],
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
    ['the name of a column in `with`', () => within(namedIn())],
    ['the name of a column in `extras`', () => db.query.samples.findMany({ extras: { n: named.as('n') } })],
    [
      'the name of a column in `returning`',
      () => db.update(samples).set({ city: 'x' }).returning({ n: named }),
    ],
    ['the name of a column in a prepared select', () => prepared(namedIn())],
    ['the name of a column in `execute`', () => db.execute(namedIn())],
  ])('%s', async (_, run) => {
    expect(await refusalOf(run)).toBe('not_supported');
  });

  test.each<[string, Statement]>([
    ['a union', () => prepared(remarks().union(values() as never))],
    ['an insert of a select', () => prepared(db.insert(children).select(rows() as never))],
    ['an insert of SQL', () => prepared(inserted())],
    ['an update to SQL', () => prepared(updated())],
    ['an update in `with`', () => within(updated())],
    ['an update in `execute`', () => db.execute(updated())],
    ['an insert in `execute`', () => db.execute(inserted())],
  ])('%s throws if it is built before its values are encrypted', async (_, run) => {
    expect(await refusalOf(run)).toBe('synchronous');
  });

  test.each<[string, Statement]>([
    ['another definition of the table', () => db.select().from(twin)],
    ['an alias of another definition', () => db.select({ n: other.text }).from(other)],
    ['another definition in a subquery', () => db.select().from(db.select().from(twin).as('part'))],
    ['a relational query of another definition', () => db.query.twin.findMany()],
    ['`returning` of another definition', () => db.update(twin).set({ id: one }).returning()],
    ['a prepared select of another definition', () => prepared(db.select().from(other))],
    ['a prepared relational query', () => prepared(db.query.twin.findMany())],
    ['a prepared `returning`', () => prepared(db.update(twin).set({ id: one }).returning())],
  ])('%s shows no ciphertext', async (_, run) => {
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

  test('a ciphertext of another row, or of another column, does not decrypt', async () => {
    await db.insert(samples).values({ id: two, text: 'Grace', note: 'Bob' });
    await connection`update samples set text = (select text from samples where id = ${one}) where id = ${two}`;
    const read = () => db.select().from(samples).where(eq(samples.id, two));
    await expect(read()).rejects.toMatchObject({ name: 'FieldError', code: 'decryption' });
    await connection`update samples set text = note where id = ${two}`;
    await expect(read()).rejects.toMatchObject({ name: 'FieldError', code: 'decryption' });
  });
});

test('a check constraint refuses to set a value to null if its fingerprint remains', async () => {
  const checks = getTableConfig(samples).checks.map(({ name, value }) => {
    return `add constraint ${name} check (${new PgDialect().sqlToQuery(value).sql})`;
  });
  await connection.unsafe(`alter table samples ${checks.join(', ')}`);
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

  test('the condition of an update can contain a UUID in braces', async () => {
    await db
      .update(samples)
      .set({ text: 'Eve' })
      .where(eq(samples.id, `{${one}}`));
    expect(await db.select().from(samples)).toMatchObject([{ id: one, text: 'Eve' }]);
  });

  test('an insert refuses an id that the database would change', async () => {
    const insert = () => db.insert(samples).values({ id: `{${two}}`, text: 'Bob' });
    expect(await refusalOf(insert)).toBe('row_unknown');
  });

  test('the id of a row can be an upper-case UUID', async () => {
    await db.update(samples).set({ text: 'Eve' }).where(eq(samples.id, one.toUpperCase()));
    await db.insert(samples).values({ id: two.toUpperCase(), text: 'Bob' });
    const found = await db.select({ text: samples.text }).from(samples).orderBy(samples.id);
    expect(found).toEqual([{ text: 'Eve' }, { text: 'Bob' }]);
  });
});

describe('ids that are equal although their texts differ', () => {
  const citext = customType<{ data: string }>({ dataType: () => 'citext' });
  const accounts = encryptedTable('accounts', { id: citext().primaryKey(), name: encryptedText() });
  const bids = encryptedTable('bids', {
    price: numeric({ precision: 9, scale: 2 }).primaryKey(),
    bidder: encryptedText(),
  });

  beforeAll(async () => {
    await connection.unsafe(`
      create extension citext;
      create table accounts (id citext primary key, name text);
      create table bids (price numeric(9, 2) primary key, bidder text)`);
  });

  test('for a `citext` id in another letter case, an update finds the row, and `onConflictDoUpdate` throws', async () => {
    await db.insert(accounts).values({ id: 'Ada', name: 'created' });
    await db.update(accounts).set({ name: 'updated' }).where(eq(accounts.id, 'ADA'));
    const insert = db.insert(accounts).values({ id: 'ADA', name: 'inserted' });
    for (const name of ['conflict', excluded(accounts.name)]) {
      const upserted = insert.onConflictDoUpdate({ target: accounts.id, set: { name } });
      await expect(upserted).rejects.toMatchObject({ code: 'row_unknown' });
    }
    expect(await db.select().from(accounts)).toEqual([{ id: 'Ada', name: 'updated' }]);
  });

  test('a numeric id must have as many decimals as its column: 1.5 is refused, 1.50 is accepted', async () => {
    const insert = db.insert(bids).values({ price: '1.5', bidder: 'Ada' });
    await expect(insert).rejects.toMatchObject({ code: 'row_unknown' });
    for (const bidder of ['Eve', 'Bob']) {
      await db
        .insert(bids)
        .values({ price: '1.50', bidder })
        .onConflictDoUpdate({ target: bids.price, set: { bidder } });
    }
    await db.update(bids).set({ bidder: 'Joan' }).where(eq(bids.price, '1.5'));
    expect(await db.select().from(bids)).toEqual([{ price: '1.50', bidder: 'Joan' }]);
  });
});

describe('queries inside statements without encrypted columns work', () => {
  test('a condition can contain a subquery of a table with encrypted columns', async () => {
    const parents = db.select({ id: samples.id }).from(samples);
    expect(await remarks().where(inArray(children.parentId, parents))).toEqual([{ remark: 'cough' }]);
    expect(await remarks().where(sql`exists ${values()}`)).toEqual([{ remark: 'cough' }]);
  });

  test('a query can return a count of encrypted rows as a column', async () => {
    const ada = db.$count(samples, eq(samples.text, 'Ada'));
    expect(await db.select({ id: children.id, ada }).from(children)).toEqual([{ id: one, ada: 1 }]);
    expect(await db.$count(db.select().from(samples).where(eq(samples.text, 'Eve')).as('none'))).toBe(0);
  });

  test('the `with` clause of an update can select encrypted rows', async () => {
    const found = db
      .$with('found')
      .as(db.select({ id: samples.id }).from(samples).where(eq(samples.text, 'Ada')));
    const isFound = sql`${samples.id} in (select id from ${found})`;
    await db.with(found).update(samples).set({ text: 'Eve' }).where(isFound);
    expect(await db.select({ text: samples.text }).from(samples)).toEqual([{ text: 'Eve' }]);
  });

  test('an insert can take its rows from a query of encrypted rows', async () => {
    const copies = db
      .select({
        id: sql<string>`${two}::uuid`.as('id'),
        parentId: samples.id,
        remark: sql<string>`'copy'`.as('remark'),
      })
      .from(samples);
    await db.insert(children).select(copies);
    expect(await remarks()).toEqual([{ remark: 'cough' }, { remark: 'copy' }]);
  });
});

test('a unique constraint on a plain column and an encrypted column refuses a duplicate', async () => {
  const guests = encryptedTable(
    'guests',
    { id: uuid().primaryKey(), city: text(), ssn: encryptedText().searchable() },
    (t) => [unique('guest').on(t.city, t.ssn)],
  );
  const [constraint] = getTableConfig(guests).uniqueConstraints;
  const covered = constraint?.columns.map(({ name }) => name).join(', ');
  await connection.unsafe(
    `create table guests (id uuid primary key, city text, ssn text, ssn_index text, unique (${covered}))`,
  );
  const insert = (city: string) => db.insert(guests).values({ id: crypto.randomUUID(), city, ssn: '1' });
  await insert('London');
  await insert('Paris');
  await expect(insert('London')).rejects.toMatchObject({ cause: { code: '23505' } });
});
