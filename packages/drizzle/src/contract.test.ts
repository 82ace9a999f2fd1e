// Drizzle on the cases of all ORMs, and what is its own about them: its statements, joins and ranges of dates.
import { and, count, eq, or, relations, sql } from 'drizzle-orm';
import { jsonb, pgTable, pgView, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { type DateBounds } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { ada, describeOrm, encryptedFields, type Opening, type Row } from '@eaas/test-kit/orms/contract';
import { expect, test } from 'vitest';
import { returnedColumns } from '../test/returned-columns.ts';
import { encrypted, encryptedTable, matches, withEncryption } from './pg.ts';

const comments = pgTable('comments', { id: uuid(), patientId: uuid('id'), text: text(), extra: jsonb() });

function open({ rows, subject, bits, previous, eaas, ...options }: Opening) {
  const { name, born, secret } = encryptedFields({ bits, previous });
  const own = { name: encrypted(name), born: encrypted(born), secret: encrypted(secret) };
  const patients = encryptedTable(
    'patients',
    { id: uuid().primaryKey(), ...own, city: text(), profile: jsonb() },
    { lowEntropy: 'accepted', ...(subject && { subject }) },
  );
  const sent: { statement: string; params: unknown[] }[] = [];
  /** The rows of a relation, as PostgreSQL aggregates the columns that the statement reads. */
  const nested = JSON.stringify(rows.map((row) => ['name', 'id', 'born'].map((column) => row[column])));
  const schema = {
    patients,
    comments,
    ofComments: relations(comments, ({ many }) => ({ patients: many(patients) })),
    ofPatients: relations(patients, ({ one }) => ({
      comment: one(comments, { fields: [patients.id], references: [comments.patientId] }),
    })),
  };
  const plain = drizzle(
    async (statement, params) => {
      sent.push({ statement, params });
      const valueOf = (row: Row, column: string) => (column === 'patients' ? nested : row[column]);
      return { rows: rows.map((row) => returnedColumns(statement).map((column) => valueOf(row, column))) };
    },
    { schema },
  );
  const db = withEncryption(plain, eaas, options as never);
  return { db, patients, sent };
}

await describeOrm('patients', (opening) => {
  const { db, patients, sent } = open(opening);
  const by = (onError?: Parameters<typeof db.onError>[0]) => (onError ? db.onError(onError) : db);
  const some = { name: patients.name, city: patients.city, profile: patients.profile };
  const isAda = eq(patients.id, ada);
  const isNamedAda = eq(patients.name, 'Ada');
  const plainOnes = { city: patients.city };
  const plainRow = { id: ada, city: 'Bern' };
  const moving = db.update(patients).set({ city: 'Bern' }).where(isAda);
  const born = (range: DateBounds) => matches(patients.born, { range });
  const columns = { name: true, city: true, profile: true } as const;
  return {
    statements: {
      select: (onError) => by(onError).select().from(patients),
      'select of columns': (onError) => by(onError).select(some).from(patients),
      'a relational query': (onError) => by(onError).query.patients.findMany({ columns }),
      update: (onError) => by(onError).update(patients).set({ city: 'Bern' }).where(isAda).returning(),
      delete: (onError) => by(onError).delete(patients).where(isAda).returning(),
    },
    others: {
      select: () => db.select().from(comments),
      update: () => db.update(comments).set({ text: 'x' }).returning(),
      'a relational query': () => db.query.comments.findMany({ columns: { text: true, extra: true } }),
      'a join with encrypted columns': () =>
        db
          .select({ name: patients.name, text: comments.text, extra: comments.extra })
          .from(patients)
          .innerJoin(comments, eq(comments.patientId, patients.id)),
    },
    within: {
      select: (range) => db.select({ name: patients.name }).from(patients).where(born(range)),
      'beside other conditions': (range) =>
        db
          .select()
          .from(patients)
          .where(and(sql`true`, and(born(range), sql`1 = 1`))),
      'a relational query': (range) => db.query.patients.findMany({ where: born(range), columns }),
      'a relation': async (range) => {
        const inner = { patients: { where: born(range), columns: { name: true } } } as const;
        const [comment] = await db.query.comments.findMany({ columns: { text: true }, with: inner });
        return comment?.patients;
      },
    },
    inexact: {
      '`limit`': (range) => db.select(plainOnes).from(patients).where(born(range)).limit(10),
      '`or`': (range) =>
        db
          .select(plainOnes)
          .from(patients)
          .where(or(born(range), isAda)),
      '`findFirst`': (range) => db.query.patients.findFirst({ where: born(range) }),
      'a subquery': (range) => db.select().from(db.select().from(patients).where(born(range)).as('inner')),
      '`$count`': (range) => db.$count(patients, born(range)),
      '`groupBy`': (range) => db.select(plainOnes).from(patients).where(born(range)).groupBy(patients.id),
      'a relation with `limit`': (range) =>
        db.query.comments.findMany({
          with: { patients: { where: born(range), columns: { name: true }, limit: 1 } },
        }),
      'an aggregate': (range) => db.select({ n: count() }).from(patients).where(born(range)),
    },
    acting: {
      'a read of plain columns': [
        () => db.select(plainOnes).from(patients),
        () => db.query.patients.findMany({ columns: { name: false, born: false, secret: false } }),
        () => db.query.comments.findMany({ with: { patients: { columns: { city: true } } } }),
      ],
      'an insert of plain columns': [() => db.insert(patients).values(plainRow).returning(plainOnes)],
      'an update of plain columns': [() => moving.returning(plainOnes)],
      'a delete': [() => db.delete(patients).where(isAda)],
      'a count': [() => db.$count(patients), () => db.select({ n: count() }).from(patients)],
      'a read of concealed columns': [
        () => db.select({ in: { secret: patients.secret } }).from(patients),
        () => db.query.comments.findMany({ with: { patients: { columns: { secret: true } } } }),
        () => moving.returning({ secret: patients.secret }),
      ],
      'a read of their values': [
        () => db.revealed().select({ secret: patients.secret }).from(patients),
        () => db.revealed().query.patients.findMany({ columns: { secret: true } }),
        () => db.revealed().delete(patients).returning({ secret: patients.secret }),
      ],
      'a read': [
        () => db.select({ name: patients.name }).from(patients),
        () => db.query.patients.findMany({ columns: { id: false } }),
        () => db.query.comments.findMany({ with: { patients: { columns: { name: true } } } }),
      ],
      'an insert': [() => db.insert(patients).values([plainRow, { ...plainRow, name: 'Ada' }])],
      'an update': ['Ada', null].map((name) => () => db.update(patients).set({ name })),
      'a write that returns the row': [() => moving.returning(), () => db.delete(patients).returning()],
      'a search': [
        () => db.select(plainOnes).from(patients).where(isNamedAda),
        () => db.$count(patients, isNamedAda),
      ],
    },
    secrets: (isRevealed) =>
      (isRevealed ? db.revealed() : db).select({ secret: patients.secret }).from(patients),
    as: (user) => db.as(user),
    create: (row) => db.insert(patients).values(row as never),
    change: (set) => db.update(patients).set(set).where(isAda),
    named: (name) =>
      db
        .select(some)
        .from(patients)
        .where(eq(patients.name, name as string)),
    sent: () => sent.flatMap(({ params }) => params.map(String)),
  };
});

const { eaas, index, keyId } = await createClient();
const { db, patients, sent } = open({
  eaas,
  index,
  rows: [{ name: 'eaasA', called: 'eaasA', city: 'eaasA' }],
  subject: undefined,
});
test('a range is a condition on the list of fingerprints of a row', async () => {
  sent.length = 0;
  await db.$count(patients, matches(patients.born, { range: { to: new Date('2026-09-30T23:59:59.999Z') } }));
  expect(sent[0]?.statement).toContain('string_to_array("patients"."born_range_index", \' \') && array[');
});

test.each<[string, Record<string, boolean>]>([
  ['"city"', { city: true, name: false }],
  ['"id", "city", "profile"', { name: false, born: false, secret: false }],
])('a relational query of %s reads nothing besides, and can be built', async (names, columns) => {
  const query = db.query.patients.findMany({ columns });
  sent.length = 0;
  await query;
  await query.prepare('plain').execute();
  const own = `select ${names} from "patients" "patients"`;
  expect([query.toSQL().sql, ...sent.map(({ statement }) => statement)]).toEqual([own, own, own]);
});

test('a relational query that names an index column opens what Drizzle reads', async () => {
  const read = async () => db.query.patients.findMany({ columns: { name_index: true, city: false } });
  await expect(read()).rejects.toMatchObject({ field: 'name' });
});

const shown = pgView('shown', { called: text() }).existing();
test.each<[string, () => PromiseLike<unknown>]>([
  ['a view', () => db.select().from(shown)],
  [
    'raw SQL',
    async () => {
      const rows = (await db.execute(sql`select name as "called" from ${patients}`)) as unknown as string[][];
      return rows.map(([called]) => ({ called }));
    },
  ],
])('%s returns what it hides, or what users typed', async (_, run) => {
  expect(await run()).toEqual([{ called: 'eaasA' }]);
});

test('another value of `onError` of a statement is refused at once', () => {
  expect(() => db.onError(null as never)).toThrow("'null'");
});

const bare = drizzle(async () => ({ rows: [] }));
test.each<[string, object]>([
  ['`withEncryption` has no option `indx`: did you mean `index`?', { indx: 'service' }],
  ['patiens: `onError` names no known table with encrypted columns', { onError: { patiens: 'null' } }],
  ['`keyIds` has an entry for `patients.nmae`', { keyIds: { 'patients.nmae': keyId } }],
])('without a schema, a misspelt name is refused by the first statement: %s', async (message, options) => {
  const first = async () =>
    withEncryption(bare, eaas, { index, ...options })
      .select()
      .from(patients);
  await expect(first()).rejects.toThrow(message);
});
