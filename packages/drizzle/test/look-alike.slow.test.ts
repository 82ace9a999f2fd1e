import { eq, relations, sql } from 'drizzle-orm';
import { jsonb, pgTable, pgView, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import { EaasClient, type EaasEvent } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deepJson, lookAlike } from '@eaas/test-kit/look-alike';
import { field } from '@eaas/sdk/fields';
import { openPostgres } from './postgres.ts';

const patients = encryptedTable('patients', {
  id: uuid().primaryKey(),
  name: encrypted(field.text()),
  nickname: text(),
  profile: jsonb(),
});
const comments = pgTable('comments', {
  id: uuid().primaryKey(),
  patientId: uuid('patient_id'),
  text: text(),
  extra: jsonb(),
});
const commentsOf = relations(patients, ({ many }) => ({ comments: many(comments) }));
const patientOf = relations(comments, ({ one }) => ({
  patient: one(patients, { fields: [comments.patientId], references: [patients.id] }),
}));
const shown = pgView('shown', { called: text(), nickname: text() }).existing();

const [ada, eve] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
const { connection } = await openPostgres();
const plain = drizzle(connection, { schema: { patients, comments, commentsOf, patientOf } });
const service = createTestService();
const { key_id: keyId } = service.createKey('patients');

function open(onEvent: (event: EaasEvent) => void) {
  return withEncryption(plain, new EaasClient({ ...service, keyId, onEvent }), {});
}

let events: EaasEvent[];
let db: ReturnType<typeof open>;
let stolen: string;

beforeAll(async () => {
  await connection.unsafe(`
    create table patients (id uuid primary key, name text, nickname text, profile jsonb);
    create table comments (id uuid primary key, patient_id uuid, text text, extra jsonb);
    create view shown as select name as called, nickname from patients`);
});

beforeEach(async () => {
  await connection`truncate patients, comments`;
  events = [];
  db = open((event) => events.push(event));
  await db.insert(patients).values({ id: ada, name: 'Ada', nickname: 'Countess' });
  const [row] = await connection<{ name: string }[]>`select name from patients`;
  stolen = row?.name ?? '';
});

const unexpected = () =>
  events.flatMap((event) =>
    event.type === 'unexpected_ciphertext' ? [`${event.table}.${event.column}`] : [],
  );

describe.each([
  ['a look-alike', () => lookAlike],
  ['a ciphertext of the app', () => stolen],
])('%s that a user typed breaks no read', (_, typed) => {
  const row = () => ({
    id: eve,
    name: 'Eve',
    nickname: typed(),
    profile: { theme: 'dark', links: [{ title: typed() }] },
  });

  test('in a table with encrypted columns', async () => {
    const expected = row();
    const isEve = eq(patients.id, eve);
    expect(await db.insert(patients).values(expected).returning()).toEqual([expected]);
    expect(await db.select().from(patients).where(isEve)).toEqual([expected]);
    expect(await db.select({ nickname: patients.nickname }).from(patients).where(isEve)).toEqual([
      { nickname: typed() },
    ]);
    expect(await db.query.patients.findMany({ where: isEve, with: { comments: true } })).toEqual([
      { ...expected, comments: [] },
    ]);
    const prepared = db.select({ it: patients.nickname }).from(patients).where(isEve).prepare('nicknames');
    expect(await prepared.execute()).toEqual([{ it: typed() }]);
    const updated = db.update(patients).set({ name: 'Eva' }).where(isEve).returning();
    expect(await updated).toEqual([{ ...expected, name: 'Eva' }]);
    expect(await db.delete(patients).where(isEve).returning()).toEqual([{ ...expected, name: 'Eva' }]);
    expect(unexpected().toSorted()).toEqual(['patients.nickname', 'patients.profile']);
    expect(JSON.stringify(events)).not.toContain('eaasA');
  });

  test('in a table without encrypted columns, without an event', async () => {
    const comment = { id: eve, patientId: ada, text: typed(), extra: [{ note: typed() }] };
    expect(await db.insert(comments).values(comment).returning()).toEqual([comment]);
    expect(await db.select().from(comments)).toEqual([comment]);
    expect(await db.query.comments.findMany({ with: { patient: { columns: { name: true } } } })).toEqual([
      { ...comment, patient: { name: 'Ada' } },
    ]);
    expect(
      await db
        .select({ name: patients.name, text: comments.text })
        .from(patients)
        .innerJoin(comments, eq(comments.patientId, patients.id)),
    ).toEqual([{ name: 'Ada', text: typed() }]);
    expect(await db.delete(comments).returning()).toEqual([comment]);
    expect(unexpected()).toEqual([]);
  });
});

test.each<[string, () => PromiseLike<unknown>]>([
  ['raw SQL', () => db.execute(sql`select name as called from ${patients}`)],
  ['a view', () => db.select().from(shown)],
  ['an expression', () => db.select({ called: sql`max(name)` }).from(patients)],
])('%s that hides an encrypted column returns its ciphertext', async (_, run) => {
  expect(await run()).toMatchObject([{ called: stolen }]);
});

test('JSON of any depth can be read', async () => {
  const profile = deepJson(3_000, 'x');
  await connection`update patients set profile = ${JSON.stringify(profile)}::text::jsonb`;
  const [row] = await db.select().from(patients);
  expect(row?.name).toBe('Ada');
  expect(JSON.stringify(row?.profile)).toBe(JSON.stringify(profile));
  expect(unexpected()).toEqual([]);
});
