import { randomUUID } from 'node:crypto';
import { and, asc, desc, gt, like, not, or, relations, type SQL, sql } from 'drizzle-orm';
import { alias, pgTable, pgView, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, months, words } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  columnOf,
  encrypted,
  encryptedDate,
  encryptedTable,
  encryptedText,
  eq,
  excluded,
  inArray,
  isNotNull,
  isNull,
  matches,
  ne,
  notInArray,
} from './pg.ts';

const patients = encryptedTable('patients', {
  id: uuid().primaryKey(),
  name: encryptedText(),
  ssn: encryptedText().searchable({ normalize: ['digits'] }),
  born: encryptedDate({ context: 'field' }).searchable({ lowEntropy: 'accepted' }),
});
const visits = pgTable('visits', { id: uuid().primaryKey(), patientId: uuid(), ssn: text() });
const visitsOfPatients = relations(patients, ({ many }) => ({ visits: many(visits) }));
const patientOfVisits = relations(visits, ({ one }) => ({
  patient: one(patients, { fields: [visits.patientId], references: [patients.id] }),
}));

const service = createTestService();
const { key_id: keyId } = service.createKey('patients');
const eaas = new EaasClient({
  baseUrl: service.baseUrl,
  apiKey: service.apiKey,
  keyId,
  fetch: service.fetch,
});
const indexKey = await createIndexKey(eaas);

let sent: { sql: string; params: unknown[] }[] = [];
const schema = { patients, visits, visitsOfPatients, patientOfVisits };
const plain = drizzle(
  async (sql, params) => {
    sent.push({ sql, params });
    return { rows: [] };
  },
  { schema },
);
const db = encrypted(plain, eaas, { index: indexKey });

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

test('`encrypted` throws if its arguments are in the wrong order', () => {
  expect(() => encrypted(eaas, plain as never)).toThrow('`encrypted` takes (database, eaas, options)');
});

describe('`encrypted` refuses a database', () => {
  const nothing = async () => ({ rows: [] });

  test('with searchable columns, if the option `index` is missing', async () => {
    const message =
      "patients.ssn is searchable, so the option `index` must be 'service' or a token from `createIndexKey` (got undefined)";
    expect(() => encrypted(plain, eaas)).toThrow(message);
    expect(() => encrypted(plain, eaas, { index: undefined })).toThrow(message);
    // Without a schema, the tables are known only from statements.
    const unknown = encrypted(drizzle(nothing), eaas);
    await expect((async () => unknown.select().from(patients))()).rejects.toThrow(message);
  });

  test.each(['snake_case', 'camelCase'] as const)(
    'with `casing: %s`, if it changes the name of an encrypted column',
    async (casing) => {
      const isSnake = casing === 'snake_case';
      const key = isSnake ? 'firstName' : 'first_name';
      const table = encryptedTable('people', {
        id: uuid().primaryKey(),
        note: encryptedText(),
        [key]: encryptedText(),
      });
      const refused = {
        code: 'schema',
        message: expect.stringContaining(
          `people.${key}: \`casing\` changes the name of the column to \`${isSnake ? 'first_name' : 'firstName'}\``,
        ),
      };
      const create = () => encrypted(drizzle(nothing, { casing, schema: { table } }), eaas);
      expect(create).toThrow(expect.objectContaining(refused));
      const unknown = encrypted(drizzle(nothing, { casing }), eaas);
      await expect((async () => unknown.insert(table).values({ id: randomUUID() }))()).rejects.toMatchObject(
        refused,
      );
      await expect((async () => unknown.select().from(table))()).rejects.toMatchObject(refused);

      const named = encryptedTable('people', {
        id: uuid().primaryKey(),
        firstName: encryptedText('first_name'),
      });
      await encrypted(drizzle(nothing, { casing, schema: { named } }), eaas)
        .select()
        .from(named);
    },
  );
});

describe('conditions', () => {
  const text = 'and (ssn_index is not null or ssn is null)';

  test.each([
    ['eq', () => eq(patients.ssn, '1-2'), `(ssn_index in ($1) ${text})`],
    ['ne', () => ne(patients.ssn, '1'), `not (ssn_index in ($1) ${text})`],
    ['inArray', () => inArray(patients.ssn, ['1', '2']), `(ssn_index in ($1, $2) ${text})`],
    ['notInArray', () => notInArray(patients.ssn, ['1']), `not (ssn_index in ($1) ${text})`],
    ['inArray of nothing', () => inArray(patients.ssn, []), 'false'],
    ['isNull', () => isNull(patients.name), 'name is null'],
    ['isNotNull', () => isNotNull(patients.name), 'name is not null'],
    ['a Date', () => eq(patients.born, new Date(0)), '(born_index in ($1))'],
    ['not', () => not(eq(patients.born, new Date(0))), 'not (born_index in ($1))'],
    [
      'and, or',
      () => and(isNull(patients.name), or(eq(patients.born, new Date(0)), isNull(patients.ssn))),
      '(name is null and ((born_index in ($1)) or ssn is null))',
    ],
    ['sql', () => sql`${patients.born} = ${new Date(0)}`, '(born_index in ($1))'],
  ])('%s', async (_, where, expected) => {
    await db.select({ id: patients.id }).from(patients).where(where());
    expect(condition()).toBe(expected);
  });

  test('a search for values that are equal after normalization sends the same fingerprint', async () => {
    await db.select({ id: patients.id }).from(patients).where(eq(patients.ssn, '1-2'));
    await db.select({ id: patients.id }).from(patients).where(eq(patients.ssn, '1 2'));
    expect(sent[0]?.params).toEqual(sent[1]?.params);
  });

  test('a condition on an alias of an encrypted table uses the name of the alias', async () => {
    const other = alias(patients, 'other');
    await db.select({ id: other.id }).from(other).where(eq(other.ssn, '1'));
    expect(condition()).toContain('other.ssn_index in ($1)');
  });

  test('a condition in a subquery compares fingerprints', async () => {
    const found = db
      .select({ id: patients.id })
      .from(patients)
      .where(eq(patients.born, new Date(0)));
    await db.select({ id: visits.id }).from(visits).where(inArray(visits.patientId, found));
    expect(condition()).toContain('where (born_index in ($1))');
  });
});

describe('the order of the fingerprints in a statement says nothing about the values', () => {
  const lowEntropy = 'accepted';
  const staff = encryptedTable('staff', {
    id: uuid().primaryKey(),
    nick: encryptedText().searchable(),
    name: encryptedText().searchableBy({ words: words({ lowEntropy }) }),
    born: encryptedDate().searchableBy({ month: months({ lowEntropy }) }),
  });
  const nicks = Array.from({ length: 20 }, (_, at) => `nick ${at}`);
  const [from, to] = [new Date('1946-01-01'), new Date('2026-11-23')];

  test.each<[string, () => SQL, number]>([
    ['a range', () => matches(staff.born, { month: { from, to } }), 971],
    ['words', () => matches(staff.name, { words: nicks.join(' ') }), 21],
    ['a list of values', () => inArray(staff.nick, nicks), 20],
    ['a negated list', () => notInArray(staff.nick, nicks), 20],
  ])('%s', async (_, where, count) => {
    await db.select({ id: staff.id }).from(staff).where(where());
    const params = (sent[0]?.params ?? []).map(String);
    expect(params).toHaveLength(count);
    expect(params).toEqual(params.toSorted());
  });
});

const name = columnOf(patients.name);
const ssn = columnOf(patients.ssn);

describe('an operation that cannot work on ciphertexts throws before a query is sent', () => {
  const id = randomUUID();
  const shown = pgView('shown').as((builder) =>
    builder.select({ id: patients.id, name: columnOf(patients.name) }).from(patients),
  );
  const fingerprint: object = { ssn_index: 'PLAIN' };
  test.each<[string, () => PromiseLike<unknown>, string]>([
    ['like', () => db.select().from(patients).where(like(name, 'A%')), 'not_supported'],
    ['gt', () => db.select().from(patients).where(gt(ssn, '1')), 'not_supported'],
    ['orderBy', () => db.select().from(patients).orderBy(name), 'not_supported'],
    ['orderBy asc', () => db.select().from(patients).orderBy(asc(name)), 'not_supported'],
    ['groupBy', () => db.select({ id: patients.id }).from(patients).groupBy(ssn), 'not_supported'],
    ['distinct', () => db.selectDistinct({ name }).from(patients), 'not_supported'],
    ['having', () => db.select().from(patients).having(like(name, 'A%')), 'not_supported'],
    ['an expression', () => db.select({ n: sql`lower(${name})` }).from(patients), 'not_supported'],
    ['eq without an index', () => db.select().from(patients).where(eq(name, 'Ada')), 'not_searchable'],
    [
      'eq null',
      () =>
        db
          .select()
          .from(patients)
          .where(sql`${ssn} = ${null}`),
      'not_supported',
    ],
    [
      'eq of an SQL value',
      () =>
        db
          .select()
          .from(patients)
          .where(eq(ssn, sql`'1'`)),
      'not_supported',
    ],
    ['eq with a plain column', () => db.select().from(visits).where(eq(visits.ssn, ssn)), 'not_supported'],
    [
      'eq of columns with different fingerprints',
      () =>
        db
          .select()
          .from(patients)
          .where(eq(ssn, columnOf(patients.born))),
      'not_supported',
    ],
    [
      'ciphertexts of a subquery',
      () =>
        db
          .select()
          .from(visits)
          .where(inArray(visits.ssn, db.select({ ssn }).from(patients))),
      'not_supported',
    ],
    [
      'union',
      () => db.select({ ssn }).from(patients).union(db.select({ ssn }).from(patients)),
      'not_supported',
    ],
    ['raw SQL', () => db.execute(sql`select lower(${name}) from ${patients}`), 'not_supported'],
    ['delete', () => db.delete(patients).where(like(name, 'A%')), 'not_supported'],
    ['SQL as a value', () => db.insert(patients).values({ id, name: sql`'Ada'` }), 'not_supported'],
    ['a copied ciphertext', () => db.update(visits).set({ ssn: sql`${ssn}` }), 'not_supported'],
    [
      'an id that the database creates',
      () => db.insert(patients).values({ id: sql`gen()`, name: 'Ada' }),
      'row_unknown',
    ],
    ['a changed id', () => db.update(patients).set({ id, name: 'Ada' }), 'row_unknown'],
    [
      'a changed id, with a condition on the id of another table',
      () => db.update(patients).set({ id }).from(visits).where(eq(visits.id, id)),
      'row_unknown',
    ],
    [
      'a conflict in a column other than the id',
      () =>
        db
          .insert(patients)
          .values({ id, name: 'Ada' })
          .onConflictDoUpdate({ target: ssn, set: { name: excluded(patients.name) } }),
      'row_unknown',
    ],
    [
      'a conflict in the id of another table',
      () =>
        db
          .insert(patients)
          .values({ id, name: 'Ada' })
          .onConflictDoUpdate({ target: visits.id, set: { name: excluded(patients.name) } }),
      'row_unknown',
    ],
    [
      'an excluded column of another table',
      () =>
        db
          .insert(patients)
          .values({ id, ssn: '1' })
          .onConflictDoUpdate({ target: patients.id, set: { ssn: excluded(visits.ssn) } }),
      'row_unknown',
    ],
    [
      'orderBy of a relation',
      () => db.query.patients.findMany({ orderBy: (t, { desc }) => desc(t.name) }),
      'not_supported',
    ],
    [
      'like in a relation',
      () => db.query.patients.findFirst({ where: (t, { like }) => like(t.name, 'A%') }),
      'not_supported',
    ],
    [
      'distinct in a subquery',
      () => db.select({ n: sql`1` }).from(db.selectDistinct({ name }).from(patients).as('part')),
      'not_supported',
    ],
    [
      'an insert of a select',
      () => db.insert(patients).select(sql`select ${visits.id} from ${visits}`),
      'not_supported',
    ],
    ['an insert of a fingerprint', () => db.insert(patients).values({ id, ...fingerprint }), 'schema'],
    ['an update to a fingerprint', () => db.update(patients).set(fingerprint), 'schema'],
    [
      'a conflict that writes a fingerprint',
      () => db.insert(patients).values({ id }).onConflictDoUpdate({ target: patients.id, set: fingerprint }),
      'schema',
    ],
    [
      'a conflict that writes a value to one of several rows',
      () =>
        db
          .insert(patients)
          .values([{ id }, { id: randomUUID() }])
          .onConflictDoUpdate({ target: patients.id, set: { name: 'Ada' } }),
      'row_unknown',
    ],
    [
      'a conflict that writes a value to a row with another id',
      () =>
        db
          .insert(patients)
          .values({ id })
          .onConflictDoUpdate({ target: ssn, set: { name: 'Ada' } }),
      'row_unknown',
    ],
    [
      'an update with `from`',
      () => db.update(patients).set({ name: 'Ada' }).from(visits).where(eq(patients.id, id)),
      'row_unknown',
    ],
    ['a view', () => db.select().from(shown), 'cannot_open'],
    ['prepare', async () => db.select().from(patients).prepare('x').execute(), 'synchronous'],
    ['toSQL', async () => db.insert(patients).values({ id, name: 'Ada' }).toSQL(), 'synchronous'],
  ])('%s', async (_, run, code) => {
    await expect((async () => run())()).rejects.toMatchObject({ name: 'EncryptedColumnError', code });
    expect(sent).toEqual([]);
  });
});

describe('raw SQL and an encrypted table', () => {
  const id = randomUUID();
  const other = alias(patients, 'other');
  const written = (cte: SQL) => db.$with('written', { id: patients.id }).as(cte);
  test.each<[string, () => PromiseLike<unknown>]>([
    ['update', () => db.execute(sql`update ${patients} set name = ${'PLAIN'}`)],
    ['a column', () => db.execute(sql`update patients set name = 'PLAIN' where ${patients.id} = ${id}`)],
    ['insert', () => db.execute(sql`INSERT INTO ${patients} (id, name) values (${id}, ${'PLAIN'})`)],
    ['insert of MySQL', () => db.execute(sql`insert ${patients} values (${id}, ${'PLAIN'})`)],
    ['replace', () => db.execute(sql`replace into ${patients} values (${id}, ${'PLAIN'})`)],
    ['merge', () => db.execute(sql`merge into ${patients} using ${visits} on true when matched then update`)],
    ['copy', () => db.execute(sql`copy ${patients} from stdin`)],
    ['an update with a comment', () => db.execute(sql`update/* all */ only ${patients} set name = 'PLAIN'`)],
    [
      'an update of an alias',
      () => db.execute(sql`update ${patients} as ${other} set name = 'PLAIN' where ${other.id} = ${id}`),
    ],
    [
      'an update in `with`',
      () => db.execute(sql`with w as (update ${patients} set name = 'PLAIN' returning id) select * from w`),
    ],
    [
      'an update in parts',
      () => db.execute(sql.join([sql`upd`, sql.raw('ate '), sql`${patients} set name = 'PLAIN'`])),
    ],
    ['`$with` of an update', async () => written(sql`update ${patients} set name = 'PLAIN'`)],
    [
      '`$with` of a function',
      async () => written((() => sql`update ${patients} set name = 'PLAIN'`) as never),
    ],
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
    ['a select for update', sql`select id from ${patients} FOR NO KEY UPDATE`],
    ['the function `replace`', sql`select replace(id, '-', '') from ${patients}`],
    ['a column with a similar name', sql`select last_update, inserted from ${patients}`],
    ['a delete', sql`delete from ${patients} where ${patients.id} = ${id}`],
    ['a write to another table', sql`update ${visits} set ssn = null`],
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

test('300 rows are encrypted with one request', async () => {
  const requests = service.requests.length;
  const rows = Array.from({ length: 300 }, (_, at) => ({
    id: randomUUID(),
    name: `name ${at}`,
    ssn: `${at}`,
  }));
  await db.insert(patients).values(rows);
  expect(service.requests.length - requests).toBeLessThanOrEqual(1);
  const params = sent[0]?.params ?? [];
  expect(params).toHaveLength(1_200);
  expect(params.filter((param) => String(param).startsWith('eaasA'))).toHaveLength(600);
  expect(JSON.stringify(params)).not.toMatch(/name \d/);
});

test('an update of several rows writes a different ciphertext to each row', async () => {
  const ids = [randomUUID(), randomUUID()];
  const answers = [ids.map((id) => [id]), []];
  const answering = drizzle(async (sql, params) => {
    sent.push({ sql, params });
    return { rows: answers.shift() ?? [] };
  });
  await encrypted(answering, eaas, { index: indexKey }).update(patients).set({ name: 'Ada' });
  expect(sent[1]?.sql).toBe(
    'update "patients" set "name" = case "patients"."id" when $1 then $2 when $3 then $4 end where "patients"."id" in ($5, $6)',
  );
  const [first, one, second, two] = sent[1]?.params ?? [];
  expect([first, second]).toEqual(ids);
  expect(one).not.toBe(two);
});

test('a transaction of a synchronous driver is refused', () => {
  const driver = Object.assign(Object.create(plain) as typeof plain, { resultKind: 'sync' });
  const synchronous = encrypted(driver, eaas, { index: indexKey });
  expect(() => synchronous.transaction(async () => {})).toThrow(
    'a transaction of this driver is synchronous',
  );
});

test('an update of more rows than one statement can encrypt is refused', async () => {
  const ids = Array.from({ length: 2_728 }, () => [randomUUID()]);
  const answering = drizzle(async (sql, params) => {
    sent.push({ sql, params });
    return { rows: ids };
  });
  const set = { name: 'Ada', ssn: null, born: null };
  const updated = encrypted(answering, eaas, { index: indexKey }).update(patients).set(set);
  await expect(updated).rejects.toMatchObject({
    code: 'too_many_rows',
    message: expect.stringContaining('at most 2727 rows (got 2728)'),
  });
  expect(sent).toHaveLength(1);
});

test('a query with a relation between encrypted columns throws before it is sent', async () => {
  const letters = pgTable('letters', { id: uuid().primaryKey(), ssn: text() });
  const patientOfLetters = relations(letters, ({ one }) => ({
    patient: one(patients, { fields: [letters.ssn], references: [columnOf(patients.ssn)] }),
  }));
  const lettersOfPatients = relations(patients, ({ many }) => ({ letters: many(letters) }));
  const tables = { patients, letters, patientOfLetters, lettersOfPatients };
  const answer = async () => ({ rows: [] });
  const { query } = encrypted(drizzle(answer, { schema: tables }), eaas, { index: indexKey });
  const error = { code: 'not_supported', table: 'patients', column: 'ssn' };
  await expect(query.letters.findMany({ with: { patient: true } })).rejects.toMatchObject(error);
  await expect(query.patients.findMany({ with: { letters: true } })).rejects.toMatchObject(error);
});
