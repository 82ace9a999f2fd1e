// Handles of concealed columns in statements: an update of their own row leaves them alone, and all others are refused before
// anything is sent, so that nothing stores the text of a handle, or a ciphertext without its fingerprint.
import { inspect } from 'node:util';
import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { field, type FieldError, withFields } from '@eaas/sdk/fields';
import { heldIn } from '@eaas/sdk/internal';
import { createClient } from '@eaas/test-kit/orms/client';
import { beforeEach, expect, test, vi } from 'vitest';
import { returnedColumns } from '../test/returned-columns.ts';
import { encrypted, encryptedTable, excluded, fieldsOf, withEncryption } from './pg.ts';

const id = '00000000-0000-4000-8000-00000000000a';
const secret = () => encrypted(field.text().searchable().concealed());
const full = withFields(['last']);
const columns = {
  id: uuid().primaryKey(),
  city: text(),
  name: encrypted(field.text()),
  ssn: secret(),
  code: secret(),
  notes: encrypted(field.json<object>().concealed()),
  first: encrypted(field.text().searchableBy({ full }).concealed()),
  last: encrypted(field.text().concealed()),
};
const patients = encryptedTable('patients', columns, { lowEntropy: 'accepted' });
const guests = encryptedTable('guests', {
  id: uuid().primaryKey(),
  ssn: secret().$defaultFn(() => ssn as never),
  ward: encrypted(field.text({ context: 'field' }).concealed()),
  code: secret().$onUpdateFn(() => code as never),
});
const visits = pgTable('visits', { id: uuid().primaryKey(), ssn: text(), before: jsonb() });

const { eaas, index, service, keyId } = await createClient();
const plainRow = { id, name: 'Ada', ssn: '1', code: '2', notes: { a: 1 }, first: 'Ada', last: 'King' };
const records = fieldsOf(patients).for(eaas, { index });
const [sealed = {}] = await records.encryptRows('patients', [plainRow], () => id);
const stored: Record<string, unknown> = { ...sealed, city: 'Bern', ward: Reflect.get(sealed, 'last') };
const sent: string[] = [];
const plain = drizzle(async (statement) => {
  sent.push(statement);
  return { rows: [returnedColumns(statement).map((name) => stored[name])] };
});
const transaction = async (run: (tx: typeof plain) => unknown) => run(plain);
const db = withEncryption(Object.assign(plain, { transaction }), eaas, { index });
const [row] = (await db.select().from(patients)) as [typeof patients.$inferSelect];
const [{ ward } = { ward: null }] = await db.select({ ward: guests.ward }).from(guests);
const { ssn, code, notes, last } = row;
vi.resetModules();
const twin = new (await import('@eaas/sdk/fields')).Concealed(heldIn(ssn) as never);
const form = JSON.parse(JSON.stringify(row)) as typeof row;
const [own, another] = [eq(patients.id, id), eq(patients.id, id.replace(/a$/, 'b'))];
const update = (set: object) => db.update(patients).set(set);
const insert = (...rows: object[]) => db.insert(patients).values(rows as never);
const upsert = (of: object, set: object) => insert(of).onConflictDoUpdate({ target: patients.id, set });
const where = (condition: unknown) =>
  db
    .select()
    .from(patients)
    .where(condition as never);
const visit = (of: object) => db.insert(visits).values({ id, ...of });
const guest = (set: object) => db.update(guests).set(set).where(eq(guests.id, id));

beforeEach(() => {
  sent.length = 0;
});

const left = /^update "patients" set "\w+" = (?!.*"(?:ssn|code|notes|first|last)\w*" =)/;
test.each<[string, () => PromiseLike<unknown>]>([
  ['a spread', () => update({ ...row }).where(own)],
  ['`Object.assign`', () => update(Object.assign({}, row, { city: 'Rome' })).where(own)],
  ['nothing else', () => update({ ssn }).where(own).returning()],
  ['another form of the id', () => update(row).where(eq(patients.id, `{${id.toUpperCase()}}`))],
  ['two copies of the SDK', () => update({ ...row, ssn: twin }).where(own)],
  ['a transaction', () => db.transaction(async (tx) => tx.update(patients).set(row).where(own))],
  ['`revealed`', () => db.revealed().as('7').update(patients).set(row).where(own)],
])('a handle in %s is left alone', async (_, run) => {
  const requests = service.requests.length;
  await run();
  expect(sent).toEqual([expect.stringMatching(left)]);
  expect(service.requests).toHaveLength(requests);
});

test.each<[string, () => PromiseLike<unknown>, string]>([
  ['an insert of the row', () => insert(row), 'patients.ssn'],
  ['an insert of rows', () => insert({ id }, { ...row, ssn: '3', code: '4' }), 'patients.first'],
  ['an upsert of the row', () => upsert(row, { city: 'x' }), 'patients.ssn'],
  ['the update of an upsert', () => upsert({ id }, { ssn }), 'patients.ssn'],
  ['`excluded`', () => upsert({ id, code }, { code: excluded(patients.code) }), 'patients.code'],
  ['another condition', () => update({ ssn }).where(eq(patients.ssn, '1')), 'patients.ssn'],
  ['one condition more', () => update({ notes }).where(and(own, ne(patients.city, 'x'))), 'patients.notes'],
  ['another row', () => update({ ssn }).where(another), 'patients.ssn'],
  ['another column', () => update({ code: ssn }).where(own), 'patients.code'],
  ['another table', () => guest({ ssn, code: '3' }), 'guests.ssn'],
  ['a column that is not encrypted', () => update({ city: ssn }).where(own), 'patients.ssn'],
  ['JSON of a plain table', () => visit({ before: { of: [row] } }), 'patients.ssn'],
  ['a placeholder', () => visit({ ssn: sql.placeholder('x') }).execute({ x: ssn }), 'patients.ssn'],
  ["`context: 'field'`", () => guest({ ward, code: '3' }), 'guests.ward'],
  ['a part of an index', () => update({ first: 'Eve', last }).where(own), 'patients.last'],
  ['a form', () => update({ ...form, city: 'x' }).where(own), 'patients.ssn'],
  ['`structuredClone`', () => update({ notes: structuredClone(row).notes }).where(own), 'patients.notes'],
  ['`$defaultFn`', () => db.insert(guests).values({ id, code: '3' }), 'guests.ssn'],
  ['`$onUpdateFn`', () => guest({ ssn: '3' }), 'guests.code'],
  ['`inArray`', () => where(inArray(patients.ssn, ['1', code as never])), 'patients.ssn'],
  ['a plain condition', () => db.$count(visits, eq(visits.ssn, ssn as never)), 'patients.ssn'],
  ['SQL of the app', () => db.execute(sql`select 1 where ${patients.id} = ${ssn}`), 'patients.ssn'],
])('a handle in %s is refused', async (_, run, place) => {
  const [table, column] = place.split('.');
  const refused = { name: 'EncryptedTableError', code: 'concealed', table, column };
  const remedy = expect.stringContaining('reveal') as string;
  await expect((async () => run())()).rejects.toMatchObject({ ...refused, remedy });
  expect(sent).toEqual([]);
});

test('an update with a value beside handles writes it with its index', async () => {
  await update({ ssn: '3', code }).where(own);
  expect(sent).toEqual([expect.stringContaining('set "ssn" = $1, "ssn_index" = $2 where')]);
});

test('`onError` gets handles in the rows of joined tables too, where a value is not encrypted', async () => {
  const [canary, before] = ['canary-7319', { ...stored }];
  Object.assign(stored, { name: 'no ciphertext', ward: canary });
  // As they are at this moment: later, they have what `onError` returns.
  const onError = vi.fn((_error: FieldError, row: object) => inspect(row, { depth: null }));
  const joined = db
    .onError(onError as never)
    .select()
    .from(patients)
    .leftJoin(guests, eq(guests.id, id));
  await joined;
  Object.assign(stored, before);
  expect(onError.mock.calls.map(([error]) => error.field)).toEqual(['name', 'ward']);
  const shown = onError.mock.results.map(({ value }) => String(value)).join();
  expect(shown).toContain('ward: Concealed');
  expect(shown).not.toContain(canary);
});

test('an update that writes no encrypted value needs no user', async () => {
  const client = new EaasClient({ ...service, keyId, requireUser: true });
  const guarded = withEncryption(plain, client, { index });
  await guarded.update(patients).set({ city: 'Rome', ssn }).where(own).returning({ code: patients.code });
  expect(sent).toHaveLength(1);
});
