import { randomUUID } from 'node:crypto';
import { desc, eq, inArray, ne, not, notExists, relations, type SQL, sql } from 'drizzle-orm';
import { pgTable, pgView, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field, part, withFields } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { migrate } from '@eaas/migrate';
import { beforeEach, describe, expect, test } from 'vitest';
import { encrypted, encryptedTable, excluded, matches, withEncryption } from './pg.ts';

const patients = encryptedTable(
  'patients',
  {
    id: uuid().primaryKey(),
    name: encrypted(field.text()),
    ssn: encrypted(field.text().searchable({ normalize: ['digits'] })),
    born: encrypted(field.date({ context: 'field' }).searchable()),
  },
  { lowEntropy: 'accepted' },
);
const people = encryptedTable(
  'people',
  { id: uuid().primaryKey(), name: encrypted(field.text().searchableBy({ words: part.words() })) },
  { lowEntropy: 'accepted' },
);
const staff = encryptedTable(
  'staff',
  {
    id: uuid().primaryKey(),
    first: encrypted(field.text().searchableBy({ full: withFields(['last']) })),
    last: encrypted(field.text()),
  },
  { lowEntropy: 'accepted' },
);
const visits = pgTable('visits', { id: uuid().primaryKey(), patientId: uuid(), ssn: text() });
const visitsOfPatients = relations(patients, ({ many }) => ({ visits: many(visits) }));
const patientOfVisits = relations(visits, ({ one }) => ({
  patient: one(patients, { fields: [visits.patientId], references: [patients.id] }),
}));

const { eaas, make, index: indexKey, service } = await createClient();

let sent: { sql: string; params: unknown[] }[] = [];
const schema = { patients, visits, visitsOfPatients, patientOfVisits };
const plain = drizzle(
  async (sql, params) => {
    sent.push({ sql, params });
    return { rows: [] };
  },
  { schema },
);
const db = withEncryption(plain, eaas, { index: indexKey });

beforeEach(() => {
  sent = [];
});

function condition(): string {
  const [{ sql, params } = { sql: '', params: [] }] = sent;
  expect(params.every((param) => /^[0-9a-f]{64}$/.test(String(param)))).toBe(true);
  return sql
    .slice(sql.indexOf(' where ') + 7)
    .replaceAll('"patients".', '')
    .replaceAll('"', '');
}

test('`withEncryption` throws if its arguments are in the wrong order', () => {
  expect(() => withEncryption(eaas, plain as never)).toThrow(
    '`withEncryption` takes (database, eaas, options)',
  );
});

describe('`withEncryption` refuses a database', () => {
  const nothing = async () => ({ rows: [] });

  test('with searchable columns, if the option `index` is missing', async () => {
    const message =
      "patients.ssn is searchable, so the option `index` must be 'service' or a token from `createIndexKey`, " +
      "or 'half' for a client with a half (got undefined)";
    expect(() => withEncryption(plain, eaas)).toThrow(message);
    expect(() => withEncryption(plain, eaas, { index: undefined })).toThrow(message);
    // Without a schema, the tables are known only from statements.
    const unknown = withEncryption(drizzle(nothing), eaas);
    await expect((async () => unknown.select().from(patients))()).rejects.toThrow(message);
  });

  test('with `casing`, if it changes the name of an encrypted column', async () => {
    const columns = { id: uuid().primaryKey(), firstName: encrypted(field.text()) };
    const table = encryptedTable('people', columns);
    const message = expect.stringContaining(
      'people.firstName: `casing` changes the name of the column to `first_name`',
    );
    const refused = { code: 'definition', message };
    const create = () => withEncryption(drizzle(nothing, { casing: 'snake_case', schema: { table } }), eaas);
    expect(create).toThrow(expect.objectContaining(refused));
    const unknown = withEncryption(drizzle(nothing, { casing: 'snake_case' }), eaas);
    await expect((async () => unknown.select().from(table))()).rejects.toMatchObject(refused);
    const named = encryptedTable('people', { ...columns, firstName: encrypted('first_name', field.text()) });
    await withEncryption(drizzle(nothing, { casing: 'snake_case', schema: { named } }), eaas)
      .select()
      .from(named);
  });
});

describe('conditions', () => {
  const text = 'and (ssn_index is not null or ssn is null)';

  test.each([
    ['eq', () => eq(patients.ssn, '1-2'), `(ssn_index in ($1) ${text})`],
    ['ne', () => ne(patients.ssn, '1'), `not (ssn_index in ($1) ${text})`],
    ['inArray', () => inArray(patients.ssn, ['1', '2']), `(ssn_index in ($1, $2) ${text})`],
    ['a Date', () => eq(patients.born, new Date(0)), '(born_index in ($1))'],
  ])('%s', async (_, where, expected) => {
    await db.select({ id: patients.id }).from(patients).where(where());
    expect(condition()).toBe(expected);
  });
});

test('the order of the fingerprints in a statement says nothing about the values', async () => {
  const numbers = Array.from({ length: 20 }, (_, at) => `${at}`);
  await db.select({ id: patients.id }).from(patients).where(inArray(patients.ssn, numbers));
  const params = (sent[0]?.params ?? []).map(String);
  expect(params).toHaveLength(20);
  expect(params).toEqual(params.toSorted());
});

test('an insert into a table without encrypted columns keeps what the app says of conflicts', async () => {
  const insert = () => db.insert(visits).values({ id: randomUUID(), ssn: '1' });
  await insert().onConflictDoNothing();
  await insert().onConflictDoUpdate({ target: visits.id, set: { ssn: '2' } });
  const ends = sent.map(({ sql: text }) => text.slice(text.indexOf('on conflict')));
  expect(ends).toEqual(['on conflict do nothing', 'on conflict ("id") do update set "ssn" = $3']);
});

const name = patients.name;
const ssn = patients.ssn;

describe('an operation that cannot work on ciphertexts throws before a query is sent', () => {
  const id = randomUUID();
  const shown = pgView('shown').as((builder) =>
    builder.select({ id: patients.id, name: patients.name }).from(patients),
  );
  const where = (condition: SQL) => db.select().from(patients).where(condition);
  const insert = (...rows: object[]) => db.insert(patients).values(rows as never);
  const onConflict = (rows: object[], target: unknown, set: object) =>
    insert(...rows).onConflictDoUpdate({ target: target as never, set });
  const update = (set: object) => db.update(patients).set(set);
  const excludedName = { name: excluded(patients.name) };
  const ada = matches(people.name, { words: 'ada' });
  const one = () => db.select({ n: sql`1` }).from(people);
  const upsert = (set: object) => onConflict([{ id, ssn: '1' }], patients.id, set);
  const ssns = () => db.select({ ssn: visits.ssn }).from(visits);
  const values = () => db.select({ ssn }).from(patients);
  const copies = () => db.select({ id: patients.id, patientId: patients.id, ssn }).from(patients);
  const plainly = () => plain.select({ ssn }).from(patients);
  const computed = () => db.select({ ssn: sql<string>`lower(${ssn})`.as('ssn') }).from(patients);
  const part = db.select({ id: patients.id, ssn }).from(patients).as('part');
  const inner = db.select({ id: part.id }).from(part);
  const ssnIndex: unknown = Reflect.get(patients, 'ssn_index');
  const index: unknown = Reflect.get(people, 'name_words_index');
  test.each<[string, () => PromiseLike<unknown>, string]>([
    ['eq without an index', () => where(eq(name, 'Ada')), 'not_searchable'],
    ['eq in a subquery without the index', () => inner.where(eq(part.ssn, '1')), 'not_searchable'],
    ['eq null', () => where(sql`${ssn} = ${null}`), 'not_supported'],
    ['eq with a plain column', () => db.select().from(visits).where(eq(visits.ssn, ssn)), 'not_supported'],
    ['inArray of a value and SQL', () => where(inArray(ssn, ['1', sql`'2'`] as never)), 'not_supported'],
    ['eq of columns with different fingerprints', () => where(eq(ssn, patients.born)), 'not_supported'],
    [
      'a changed id, by the id of another table',
      () => update({ id }).from(visits).where(eq(visits.id, id)),
      'row_unknown',
    ],
    [
      'a conflict in a column whose value only the database knows',
      () => onConflict([{ id, name: 'Ada', ssn: sql`'1'` }], ssn, excludedName),
      'not_supported',
    ],
    [
      'an excluded column of another table',
      () => onConflict([{ id, ssn: '1' }], patients.id, { ssn: excluded(visits.ssn) }),
      'row_unknown',
    ],
    [
      'distinct in a subquery',
      () => db.select({ n: sql`1` }).from(db.selectDistinct({ name }).from(patients).as('part')),
      'not_supported',
    ],
    ['a view', () => db.select().from(shown), 'not_decrypted'],
    [
      'an update with `from`',
      () => update({ name: 'Ada' }).from(visits).where(eq(patients.id, id)),
      'row_unknown',
    ],
    ['an insert of a raw select', () => db.insert(patients).select(sql`select 1`), 'not_supported'],
    ['an insert of a select', () => db.insert(visits).select(copies() as never), 'not_supported'],
    ['an expression in a subquery', () => db.select().from(computed().as('part')), 'not_supported'],
    ['a union with an encrypted column', () => ssns().union(values()), 'not_supported'],
    ['an expression in `in`', () => ssns().where(sql`${visits.ssn} in ${computed()}`), 'not_supported'],
    ['`excluded` inside SQL', () => upsert({ ssn: sql`${excluded(ssn)} || ''` }), 'not_supported'],
    ['an index column in SQL', () => db.select({ n: sql`max(${ssnIndex})` }).from(patients), 'not_supported'],
    ['`execute` of a query with an encrypted column', () => db.execute(values()), 'not_supported'],
    ['a query of another database', () => ssns().where(sql`${visits.ssn} in ${plainly()}`), 'not_supported'],
    ['an update in `execute`', () => db.execute(update({ name: 'PLAIN' })), 'synchronous'],
    ['an id that changes to an expression', () => update({ id: sql`gen_random_uuid()` }), 'row_unknown'],
    ['an id that an upsert changes', () => upsert({ id: randomUUID() }), 'row_unknown'],
    ...['first' as const, 'last' as const].map((one): [string, () => PromiseLike<unknown>, string] => [
      `an upsert of the column ${one} alone, with an index of two`,
      () => {
        const insert = db.insert(staff).values({ id, first: 'Ada', last: 'King' });
        return insert.onConflictDoUpdate({ target: staff.id, set: { [one]: excluded(staff[one]) } });
      },
      'not_supported',
    ]),
    ['`not` of a search by parts', () => one().where(not(ada)), 'not_supported'],
    ['`not exists` with a search by parts', () => one().where(notExists(one().where(ada))), 'not_supported'],
    ['an update by parts', () => db.update(people).set({ name: 'Eve' }).where(ada), 'not_supported'],
    ['a delete by parts', () => db.delete(people).where(ada), 'not_supported'],
    ['an index of parts in SQL', () => db.select({ n: sql`max(${index})` }).from(people), 'not_supported'],
    [
      'a value for an index of parts',
      () => db.insert(people).values({ id, name_words_index: 'x' } as never),
      'index_column',
    ],
  ])('%s', async (_, run, code) => {
    await expect((async () => run())()).rejects.toMatchObject({ name: 'EncryptedTableError', code });
    expect(sent).toEqual([]);
  });
});

test('an upsert with `excluded` also replaces the index, so that the row is found by its new value', async () => {
  await db
    .insert(patients)
    .values({ id: randomUUID(), ssn: '1' })
    .onConflictDoUpdate({ target: patients.id, set: { ssn: excluded(patients.ssn) } });
  expect(sent[0]?.sql).toMatch(/ do update set .*"ssn_index" = excluded\."ssn_index"/);
});

describe('raw SQL and an encrypted table', () => {
  const id = randomUUID();
  const written = (cte: SQL) => db.$with('written', { id: patients.id }).as(cte);
  test.each<[string, () => PromiseLike<unknown>]>([
    ['update', () => db.execute(sql`update ${patients} set name = ${'PLAIN'}`)],
    ['replace', () => db.execute(sql`replace into ${patients} values (${id}, ${'PLAIN'})`)],
    [
      'an update in parts',
      () => db.execute(sql.join([sql`upd`, sql.raw('ate '), sql`${patients} set name = 'PLAIN'`])),
    ],
    ['`$with` of an update', async () => written(sql`update ${patients} set name = 'PLAIN'`)],
    ['a name', () => db.execute(sql`update patients set name = ${'PLAIN'}`)],
    ['a name in a text', () => db.execute(`insert into "public" . "Patients"(id) values ('it''s')`)],
    ['a name after another', () => db.execute(sql`update visits, patients p set p.name = 'PLAIN'`)],
    ['a name in `copy`', () => db.execute(sql`copy patients (name) from stdin`)],
    ['a name after a schema', () => db.execute(sql`insert into tenant1.patients values (${id})`)],
    ['a name after a comment', () => db.execute(sql`replace /* don't */ into patients values (${id})`)],
  ])('%s throws', async (_, run) => {
    await expect((async () => run())()).rejects.toMatchObject({
      code: 'not_supported',
      table: 'patients',
      remedy: expect.stringContaining('sql.identifier'),
    });
    expect(sent).toEqual([]);
  });

  test.each<[string, SQL]>([
    ['a select', sql`select count(*) from ${patients} where ${eq(patients.born, new Date(0))}`],
    ['the function `replace`', sql`select replace(id, '-', '') from ${patients}`],
    ['a delete', sql`delete from patients where id in (select id from visits for update)`],
    ['a name in texts and comments', sql`update visits set ssn = 'update patients set' -- into patients`],
    ['the name of the table', sql`update ${sql.identifier('patients')} set name = null`],
  ])('%s is sent', async (_, statement) => {
    await db.execute(statement);
    expect(sent).toHaveLength(1);
  });
});

test('a statement without encrypted columns is sent as Drizzle builds it', async () => {
  await db.select().from(visits).orderBy(desc(visits.ssn)).prepare('by_ssn').execute();
  const { sql: text } = db.insert(visits).values({ id: randomUUID() }).toSQL();
  expect([sent[0]?.sql, text]).toEqual([
    'select "id", "patientId", "ssn" from "visits" order by "visits"."ssn" desc',
    'insert into "visits" ("id", "patientId", "ssn") values ($1, default, default)',
  ]);
});

test('a join of two encrypted tables is decrypted with one request for data keys', async () => {
  const notes = encryptedTable('notes', { id: uuid().primaryKey(), text: encrypted(field.text()) });
  const open = (database = plain) => withEncryption(database, make(), { index: indexKey });
  const id = randomUUID();
  await open().insert(patients).values({ id, name: 'Ada' });
  await open().insert(notes).values({ id, text: 'cough' });
  const [name, text] = sent.map(({ params }) => params[1]);
  const answering = drizzle(async () => ({ rows: [[id, name, null, null, id, text, id, id]] }), { schema });
  const requests = service.requests.length;
  const reading = open(answering).select().from(patients).innerJoin(notes, eq(notes.id, patients.id));
  const expected = [{ patients: { id, name: 'Ada', ssn: null, born: null }, notes: { id, text: 'cough' } }];
  expect(await reading).toEqual(expected);
  expect(service.requests.slice(requests)).toHaveLength(1);
});

test('a query can return a count of encrypted rows as a column', async () => {
  const ada = db.$count(patients, eq(patients.ssn, '1'));
  await db.select({ id: visits.id, ada }).from(visits);
  expect(sent[0]?.params).toEqual([expect.stringMatching(/^[\da-f]{64}$/)]);
});

test('an update of several rows writes a different ciphertext to each row', async () => {
  const ids = [randomUUID(), randomUUID()];
  const answers = [ids.map((id) => [id]), []];
  const answering = drizzle(async (sql, params) => {
    sent.push({ sql, params });
    return { rows: answers.shift() ?? [] };
  });
  await withEncryption(answering, eaas, { index: indexKey }).update(patients).set({ name: 'Ada' });
  expect(sent[1]?.sql).toBe(
    'update "patients" set "name" = case "patients"."id" when $1 then $2 when $3 then $4 end where "patients"."id" in ($5, $6)',
  );
  const [first, one, second, two] = sent[1]?.params ?? [];
  expect([first, second]).toEqual(ids);
  expect(one).not.toBe(two);
});

test('a transaction of a synchronous driver is refused', () => {
  const driver = Object.assign(Object.create(plain) as typeof plain, { resultKind: 'sync' });
  const transaction = () => withEncryption(driver, eaas, { index: indexKey }).transaction(async () => {});
  expect(transaction).toThrow('a transaction of this driver is synchronous');
});

test('a query with a relation between encrypted columns throws before it is sent', async () => {
  const letters = pgTable('letters', { id: uuid().primaryKey(), ssn: text() });
  const patientOfLetters = relations(letters, ({ one }) => ({
    patient: one(patients, { fields: [letters.ssn], references: [patients.ssn] }),
  }));
  const lettersOfPatients = relations(patients, ({ many }) => ({ letters: many(letters) }));
  const tables = { patients, letters, patientOfLetters, lettersOfPatients };
  const answer = async () => ({ rows: [] });
  const { query } = withEncryption(drizzle(answer, { schema: tables }), eaas, { index: indexKey });
  const error = { code: 'not_supported', table: 'patients', column: 'ssn' };
  await expect(query.letters.findMany({ with: { patient: true } })).rejects.toMatchObject(error);
  await expect(query.patients.findMany({ with: { letters: true } })).rejects.toMatchObject(error);
});

test('`migrate` refuses a table without encrypted columns', async () => {
  const migrated = migrate(db, visits, 'rewrap', { client: eaas });
  await expect(migrated).rejects.toThrow(/needs a table with encrypted columns/);
});
