import { eq, sql } from 'drizzle-orm';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { alias, bigint, integer, pgSchema, serial, uuid, varchar } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { field } from '@eaas/sdk/fields';
import { describe, expect, test } from 'vitest';
import {
  encrypted,
  encryptedTable,
  encryptedTableIn,
  excluded,
  type TableOptions,
  withEncryption,
} from './pg.ts';

const patients = encryptedTable(
  'patients',
  { id: uuid().primaryKey(), name: encrypted(field.text()), city: varchar() },
  { subject: 'id' },
);
const notes = encryptedTable(
  'notes',
  {
    id: uuid().primaryKey(),
    patient: integer().notNull(),
    text: encrypted(field.text()),
    ward: encrypted(field.text({ context: 'field' })),
  },
  { subject: 'patient' },
);

const payslips = encryptedTable(
  'payslips',
  {
    id: uuid().primaryKey().$defaultFn(randomUUID),
    employee: integer().notNull(),
    period: varchar().notNull(),
    pay: encrypted(field.text()),
    remark: encrypted(field.text({ context: 'field' })),
  },
  { subject: 'employee' },
);

const id = randomUUID();

/** A driver that keeps what it is sent, and answers with `rows`. */
async function setUp(options: ConstructorParameters<typeof EaasClient>[0] = {}) {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('patients');
  const bodies: Record<string, unknown>[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    bodies.push((await request.clone().json()) as Record<string, unknown>);
    return service.fetch(request);
  };
  const eaas = new EaasClient({ ...service, keyId, fetch, retries: 0, ...options });
  const statements: { sql: string; params: unknown[] }[] = [];
  const answer: { rows: unknown[][] } = { rows: [] };
  const plain = drizzle(async (sql, params) => {
    statements.push({ sql, params });
    return answer;
  });
  const as = (user?: () => string | undefined) => withEncryption(plain, eaas, { user });
  return { eaas, bodies, statements, answer, plain, as, db: as() };
}

const items = (body: Record<string, unknown> | undefined) =>
  (body?.['items'] ?? [body]) as { subject?: string; user?: string }[];

test('the subject of a row goes into the request, and never into SQL that the app did not write', async () => {
  const { db, bodies, statements, answer } = await setUp();
  await db.insert(notes).values([
    { id, patient: 7, text: 'cough' },
    { id: randomUUID(), patient: 8, text: 'rash' },
  ]);
  expect(items(bodies[0]).map(({ subject }) => subject)).toEqual(['7', '8']);
  answer.rows = [[statements[0]?.params[2], id, 7]];
  const own = alias(notes, 'own');
  expect(await db.select({ text: own.text }).from(own)).toEqual([{ text: 'cough' }]);
  expect(statements[1]?.sql).toBe('select "text", "id", "patient" from "notes" "own"');
});

test('an update of values leaves a row alone that gets another person after it was read', async () => {
  const { db, statements, answer } = await setUp();
  answer.rows = [[id, 7]];
  await db.update(notes).set({ text: 'fever' });
  expect(statements[1]?.sql).toMatch(/ where \("notes"\."id" = \$\d and "notes"\."patient" = \$\d\)$/);
});

describe('rows that PostgreSQL numbers', () => {
  const name = encrypted(field.text());
  const always = bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity();
  test.each([
    ['serial', encryptedTable('a b', { id: serial().primaryKey(), name }), '"a b"'],
    ['identity', encryptedTableIn(pgSchema('c'))('d', { id: always, name }), '"c"."d"'],
  ] as const)('have their numbers of a %s before they are encrypted', async (_, given, quoted) => {
    const table = given as unknown as typeof patients;
    const { db, statements, answer } = await setUp();
    answer.rows = [['7'], ['8']];
    const insert = (...names: (string | null)[]) =>
      db.insert(table).values(names.map((each) => ({ name: each })) as never[]);
    await insert('Ada', null, 'Eve');
    const [taken, written] = statements;
    expect(taken?.sql).toMatch(
      /^select nextval\(pg_get_serial_sequence\(\$1, \$2\)\)::text from generate_series\(1, /,
    );
    expect(taken?.params).toEqual([quoted, 'id', 2]);
    const values = `overriding system value values ($1, $2), (default, $3), ($4, $5)`;
    expect(written?.sql).toBe(`insert into ${quoted} ("id", "name") ${values}`);
    const [first, ada, none, second, eve] = written?.params ?? [];
    expect([String(first), none, String(second)]).toEqual(['7', null, '8']);
    answer.rows = [
      [ada, '7'],
      [eve, '8'],
    ];
    expect(await db.select({ name: table.name }).from(table)).toEqual([{ name: 'Ada' }, { name: 'Eve' }]);
    await insert(null);
    expect(statements).toHaveLength(4);
    const upsert = insert('Ada').onConflictDoUpdate({ target: table.id, set: { name: 'Eve' } });
    await expect(upsert).rejects.toMatchObject({ code: 'row_unknown' });
  });
});

test.each([
  ['person', { patient: 7 }, eq(notes.patient, 7)],
  ['id', { id }, eq(notes.id, id)],
])('an update can set the %s that it names', async (_, set, where) => {
  const { db, statements } = await setUp();
  await db
    .update(notes)
    .set({ ...set, ward: null })
    .where(where);
  expect(statements).toHaveLength(1);
});

describe('an upsert', () => {
  test.each([
    ['a value', { text: 'x' }],
    ['the value of the insert', { text: excluded(notes.text) }],
  ])('by the id with %s fails for the row of another person', async (_, set) => {
    const { db, bodies, statements } = await setUp();
    const upsert = (more: object) =>
      db
        .insert(notes)
        .values({ id, patient: 7, text: 'cough' })
        .onConflictDoUpdate({ target: notes.id, set, ...more });
    await upsert({});
    await upsert({ setWhere: eq(notes.patient, 7) });
    await upsert({ where: eq(notes.patient, 7) });
    const guard = 'case when "notes"."patient" = excluded."patient" then 1 else cast(';
    const ends = statements.map(({ sql }) => sql.slice(sql.lastIndexOf(' where ') + 7).replace(/\$\d/, '$7'));
    const own = `case when "notes"."patient" = $7 then ${guard}`;
    expect(ends).toEqual([guard, own, own].map((each) => expect.stringContaining(each) as string));
    expect(new Set(bodies.flatMap(items).map(({ subject }) => subject))).toEqual(new Set(['7']));
  });

  const row = { employee: 7, period: '2026-11', pay: '5000', remark: 'late' };
  const { employee, period, pay, remark } = payslips;
  test.each<[string, object[], unknown, object, number]>([
    ['the value of the insert', [{}], [employee, period], { pay: excluded(pay) }, 2],
    ['a value', [{}], period, { pay: '5100' }, 2],
    ['a value to several rows, by the id', [{ id }, { period: '12' }], payslips.id, { pay: '5100' }, 2],
    ['a value that is bound to no row', [{}], period, { remark: excluded(remark) }, 1],
  ])('writes %s', async (_, rows, target, set, sent) => {
    const { db, statements, answer } = await setUp();
    answer.rows = [[id, 7, '0 ']];
    const values = rows.map((each) => ({ ...row, ...each }));
    await db
      .insert(payslips)
      .values(values)
      .onConflictDoUpdate({ target: target as never, set });
    expect(statements).toHaveLength(sent);
    const [, guard = ''] =
      /do update set .* where case when (.*) then 1 else/.exec(statements.at(-1)?.sql ?? '') ?? [];
    const known = '("payslips"."id" = $ and "payslips"."employee" = $)';
    expect(guard.replaceAll(/\$\d+/g, '$')).toBe(
      sent === 2 ? known : '"payslips"."employee" = excluded."employee"',
    );
  });
});

test('an upsert by another key encrypts for the row that has it, also in a table without people', async () => {
  const value = encrypted(field.text());
  const settings = encryptedTable('settings', { id: uuid().primaryKey(), key: varchar(), value });
  const { db, statements, answer } = await setUp();
  answer.rows = [[id, '0 ']];
  const insert = db.insert(settings).values({ id: randomUUID(), key: 'theme', value: 'dark' });
  await insert.onConflictDoUpdate({ target: settings.key, set: { value: excluded(settings.value) } });
  expect(statements[0]?.sql).toContain(' where "settings"."key" = $');
  expect(statements[0]?.params).toContain('theme');
  expect(statements[1]?.sql).toContain(' where case when "settings"."id" in ($5) then 1 else');
  expect(statements[1]?.params[4]).toBe(id);
  answer.rows = [[statements[1]?.params[3], id]];
  expect(await db.select({ value: settings.value }).from(settings)).toEqual([{ value: 'dark' }]);
});

test('`user` is asked for each statement, and `as` decides before it', async () => {
  const { as, bodies, statements, answer } = await setUp();
  await as().as('writer').insert(patients).values({ id, name: 'Ada' });
  answer.rows = [[id, statements[0]?.params[1], id]];
  const requests = new AsyncLocalStorage<string>();
  const db = as(() => requests.getStore());
  const columns = { id: patients.id, name: patients.name };
  await requests.run('user-1', async () => db.select(columns).from(patients));
  await requests.run('user-2', async () => db.as('user-3').select(columns).from(patients));
  const users = bodies.slice(1).flatMap((body) => body['user'] ?? items(body).map(({ user }) => user));
  expect(users).toEqual(['user-1', 'user-3']);
});

const columns = { id: uuid().primaryKey(), owner: integer().notNull(), name: encrypted(field.text()) };

test.each<[string, TableOptions<'id', never>]>([
  ['is encrypted', { subject: 'name' as 'id' }],
  ['is a function of what is encrypted', { subject: (row) => (row as { name?: unknown }).name }],
  ['is a function of nothing', { subject: () => '7' }],
])('a subject that %s is refused', (_, options) => {
  const define = () => encryptedTable('t', columns, options);
  expect(define).toThrow(/`subject` must be the key of a column that is not encrypted/);
});

test('a function of two columns names the person in every statement, and reads the same columns of all rows', async () => {
  const subject = (row: { id: unknown; owner: unknown }) => `${String(row.id)} of ${String(row.owner)}`;
  const { db, bodies, statements, answer } = await setUp();
  const letters = encryptedTable('letters', columns, { subject });
  await db.insert(letters).values({ id, owner: 7, name: 'Dear Ada' });
  answer.rows = [[id, 7]];
  await db.update(letters).set({ name: 'Dear Eve' }).where(eq(letters.id, id));
  expect(statements.slice(1).map(({ sql }) => sql.replaceAll(/\$\d/g, '$'))).toEqual([
    'select "id", "owner" from "letters" where "letters"."id" = $',
    'update "letters" set "name" = $ where ("letters"."id" = $ and ("letters"."id" = $ and "letters"."owner" = $))',
  ]);
  expect(new Set(bodies.flatMap(items).map((item) => item.subject))).toEqual(new Set([`${id} of 7`]));
  answer.rows = [[statements[0]?.params[2], id, 7]];
  expect(await db.select({ name: letters.name }).from(letters)).toEqual([{ name: 'Dear Ada' }]);
  answer.rows = [[id, null]];
  await db.update(letters).set({ name: 'Dear Joy' });
  expect(statements.at(-1)?.sql).toContain('where ("letters"."id" = $2 and "letters"."owner" is null)');
  const some = encryptedTable('some', columns, { subject: (row) => row.owner && row.id });
  const insert = async () => db.insert(some).values({ id, owner: 7, name: 'x' });
  await expect(insert()).rejects.toMatchObject({ code: 'definition', table: 'some', column: 'id' });
});

test('a person named by SQL is refused', async () => {
  const { db, statements } = await setUp();
  const insert = async () => db.insert(notes).values({ id, patient: sql`8`, text: 'x' });
  await expect(insert()).rejects.toMatchObject({
    code: 'subject_unknown',
    table: 'notes',
    column: 'patient',
  });
  expect(statements).toEqual([]);
});
