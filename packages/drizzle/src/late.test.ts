import { createRequire } from 'node:module';
import { DrizzleQueryError, eq, sql } from 'drizzle-orm';
import { alias, sqliteTable, text, union } from 'drizzle-orm/sqlite-core';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { encrypted, encryptedTable, excluded, fieldsOf, withEncryption } from './sqlite.ts';

const calls = { default: 0, update: 0, id: 0 };
const patients = encryptedTable('patients', {
  id: text()
    .primaryKey()
    .$defaultFn(() => `id ${++calls.id}`),
  name: encrypted(field.text().searchable()).$defaultFn(() => `default ${++calls.default}`),
  editor: encrypted(field.text().searchable()).$onUpdateFn(() => `editor ${++calls.update}`),
});
const visits = sqliteTable('visits', { id: text().primaryKey(), city: text() });

const { eaas, index, make: client, service } = await createClient();
const records = fieldsOf(patients).for(eaas, { index });

interface Sent {
  readonly statement: string;
  readonly params: unknown[];
}
let sent: Sent[];
let answers: unknown[][][];
beforeEach(() => {
  sent = [];
  answers = [];
  Object.assign(calls, { default: 0, update: 0, id: 0 });
});
const plain = drizzle(
  async (statement, params) => {
    sent.push({ statement, params });
    return { rows: answers.shift() ?? [] };
  },
  async (queries) => {
    sent.push(...queries.map(({ sql, params }) => ({ statement: sql, params })));
    return queries.map(() => ({ rows: answers.shift() ?? [] }));
  },
  { schema: { patients, visits } },
);
const db = withEncryption(plain, eaas, { index });

const opened = async (row: object, id: string) => records.decryptRow('patients', id, row as never);
const stored = async (id: string, name: string) => {
  const row = await records.encryptRow('patients', id, { name } as never);
  // The id is read twice: as a column, and as what the value is bound to.
  return [id, (row as Record<string, unknown>)['name'], null, id];
};

describe('a statement that runs twice', () => {
  test('begins with what the app wrote: an update finds the rows that are there now', async () => {
    const statement = db.update(patients).set({ name: 'Ada' });
    for (const ids of [['a'], ['a', 'b']]) {
      answers = [ids.map((id) => [id]), []];
      await statement;
    }
    const updates = sent.filter((each) => each.statement.startsWith('update'));
    expect(updates.map(({ params }) => params.filter((each) => /^[ab]$/.test(String(each))))).toEqual([
      ['a'],
      ['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'],
    ]);
  });

  test('also at the same time', async () => {
    const statement = db.insert(patients).values({ name: 'Ada' });
    await Promise.all([statement, statement]);
    const rows = sent.map(({ params: [id, name] }) => ({ id: String(id), name }));
    expect(rows.map(({ id }) => id)).toEqual(['id 1', 'id 2']);
    for (const { id, name } of rows) expect(await opened({ name }, id)).toEqual({ name: 'Ada' });
  });
});

describe('functions of the app that compute values', () => {
  test('run once for each row of an insert, and their values are encrypted', async () => {
    await db.insert(patients).values([{}, { name: 'Ada' }]);
    expect(calls).toEqual({ default: 1, update: 2, id: 2 });
    const [id, name, , editor] = sent[0]?.params ?? [];
    expect(await opened({ name, editor }, String(id))).toEqual({ name: 'default 1', editor: 'editor 1' });
  });

  test('run once for an update, which sets the index column too', async () => {
    await db.update(patients).set({ id: 'a' }).where(eq(patients.id, 'a'));
    expect(calls).toEqual({ default: 0, update: 1, id: 0 });
    expect(sent[0]?.statement).toContain('"editor" = ?, "editor_index" = ?');
    expect(await opened({ editor: sent[0]?.params[1] }, 'a')).toEqual({ editor: 'editor 1' });
  });

  test('run once for an upsert', async () => {
    const insert = db.insert(patients).values({ id: 'a', name: 'Ada' });
    await insert.onConflictDoUpdate({ target: patients.id, set: { name: 'Eve' } });
    expect(calls).toEqual({ default: 0, update: 2, id: 0 });
  });
});

describe('an upsert of several rows', () => {
  const rows = [
    { id: 'a', name: 'Ada' },
    { id: 'b', name: 'Bob' },
  ];

  test('that sets one column by `excluded` and another by a value encrypts both for each row', async () => {
    answers = [rows.map(({ id }, at) => [id, `${at} `]), []];
    const set = { name: excluded(patients.name), editor: 'Eve' };
    await db.insert(patients).values(rows).onConflictDoUpdate({ target: patients.id, set });
    const [, { statement, params } = { statement: '', params: [] }] = sent;
    const [before = '', changed = ''] = statement.split(' do update set ');
    const values = params.slice(before.split('?').length - 1);
    const cases = changed.split(', ').map((each) => {
      const own = values.splice(0, each.split('?').length - 1);
      return [/"(\w+)"/.exec(each)?.[1], own] as const;
    });
    const written = Object.fromEntries(cases);
    for (const [at, { id, name }] of rows.entries()) {
      const row = { name: written['name']?.[at * 2 + 1], editor: written['editor']?.[at * 2 + 1] };
      expect(written['name']?.[at * 2]).toBe(id);
      expect(await opened(row, id)).toEqual({ name, editor: 'Eve' });
    }
  });
});

test('a row that a query returned can be cloned', async () => {
  answers = [[await stored('a', 'Ada')]];
  const rows = await db.select().from(patients);
  expect(structuredClone(rows)).toEqual([{ id: 'a', name: 'Ada', editor: null }]);
});

test('`db.batch` sends statements at once, with one request to the service, and opens the results', async () => {
  const row = await stored('a', 'Ada L.');
  answers = [[], [row.slice(0, 2)], [row], [['a']], [[1]]];
  const { length } = service.requests;
  const own = withEncryption(plain, client(), { index });
  const results = await own.batch([
    own.insert(patients).values({ name: 'Ada L.' }),
    own
      .update(patients)
      .set({ name: 'Eve L.' })
      .where(eq(patients.id, 'a'))
      .returning({ id: patients.id, name: sql`1` }),
    own.select().from(patients).where(eq(patients.name, 'Ada L.')),
    own.select({ id: visits.id }).from(visits),
    own.all(sql`select 1 where ${eq(patients.name, 'Ada L.')}`),
  ] as never);
  expect((results as unknown[]).slice(2, 4)).toEqual([
    [{ id: 'a', name: 'Ada L.', editor: null }],
    [{ id: 'a' }],
  ]);
  expect(sent).toHaveLength(5);
  expect(JSON.stringify(sent)).not.toMatch(/Ada |Eve /); // base64 has no space, but any three letters
  // One to wrap the data key and to unwrap the index key, and one to unwrap the data key of the result.
  expect(service.requests.length - length).toBeLessThanOrEqual(3);
});

test('`with` and unions work with encrypted tables', async () => {
  const isAda = eq(patients.name, 'Ada L.');
  const found = db.$with('found').as(db.select({ id: patients.id }).from(patients).where(isAda));
  await db.with(found).insert(patients).values({ name: 'Eve L.' });
  const other = alias(patients, 'other');
  const ids = db.select({ id: other.id }).from(other).where(eq(other.name, 'Bob L.'));
  await union(db.select({ id: visits.id }).from(visits), ids);
  expect(sent).toHaveLength(2);
  expect(JSON.stringify(sent)).not.toMatch(/Ada |Eve |Bob /);
});

test('a selected comparison sends fingerprints, also inside a subquery of one table', async () => {
  const isAda = sql`${patients.name} = ${'Ada'}`.as('is_ada');
  await db.select({ isAda }).from(patients);
  const inner = db.select({ id: patients.id, isAda }).from(patients).as('inner');
  await db.select().from(inner);
  await db.query.patients.findMany({ columns: { id: true }, extras: { isAda } });
  expect(sent).toHaveLength(3);
  for (const { statement, params } of sent) {
    expect(statement).toContain('"name_index" in (?)');
    expect(params).toEqual([expect.stringMatching(/^[\da-f]{64}$/)]);
  }
});

test('a subquery with a join can select encrypted columns', async () => {
  const [id, name] = await stored('a', 'Ada');
  answers = [[[id, name, id]]];
  const inner = db
    .select({ id: patients.id, name: patients.name })
    .from(patients)
    .innerJoin(visits, eq(visits.id, patients.id))
    .as('inner');
  expect(await db.select().from(inner)).toEqual([{ id: 'a', name: 'Ada' }]);
});

async function fail(_: string, params: unknown[]): Promise<never> {
  const error = Object.assign(new RangeError(`Failing row contains (${params.join(', ')})`), {
    code: '23514',
  });
  throw Object.defineProperty(error, 'parameters', { value: params });
}
const broken = withEncryption(drizzle(fail), eaas, { index });
const isEve = eq(patients.name, 'Eve');

test.each<[string, () => PromiseLike<unknown>]>([
  ['an insert', () => broken.insert(patients).values({ id: 'a', name: 'Ada' })],
  ['the read before an update', () => broken.update(patients).set({ name: 'Ada' }).where(isEve)],
  ['raw SQL', () => broken.all(sql`select 1 where ${isEve}`)],
])('an error of the driver comes without the parameters of %s', async (_, run) => {
  const error = await (async () => run())().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DrizzleQueryError);
  const { cause, params, stack, message } = error as DrizzleQueryError;
  expect(cause).toBeInstanceOf(RangeError);
  expect(cause).toMatchObject({ code: '23514' });
  expect(cause).not.toHaveProperty('parameters');
  expect([stack, message, params, cause?.stack, cause?.message].join()).not.toMatch(/eaasA|[\da-f]{64}/);
});

test('an app that loads Drizzle as CommonJS, and so another copy, gets its own error without parameters', async () => {
  const require = createRequire(import.meta.url);
  const other = require('drizzle-orm/sqlite-proxy') as { drizzle: typeof drizzle };
  const own = require('drizzle-orm') as { DrizzleQueryError: typeof DrizzleQueryError };
  const db = withEncryption(other.drizzle(fail), eaas, { index });
  const error = await (async () => db.all(sql`select 1 where ${isEve}`))().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(own.DrizzleQueryError);
  expect(error).toMatchObject({ params: [], message: expect.not.stringMatching(/[\da-f]{64}/) });
});

test.each([
  [2000, 2000],
  [2001, 2001],
  [100_000, 2001],
])('the error of a statement of %i characters has %i of them', async (given, shown) => {
  const statement = 'select 1 '.padEnd(given, '-');
  const error = await (async () => broken.all(statement))().catch((thrown: unknown) => thrown);
  const { message, query, stack } = error as DrizzleQueryError;
  expect(query).toHaveLength(shown);
  expect(query.endsWith('…')).toBe(given > 2000);
  expect(message).toBe(`Failed query: ${query}\nparams: `);
  expect(stack?.includes(statement)).toBe(given === 2000);
});

test.each(['0.45.2', '0.45.10', '0.44.7', '0.45.1', '0.46.0', '1.0.0'])(
  'of Drizzle, only 0.45 from 0.45.2 on is accepted, also where a table is defined: %s',
  async (npmVersion) => {
    vi.doMock('drizzle-orm/version', () => ({ npmVersion }));
    vi.resetModules();
    const { encryptedTable, withEncryption } = await import('./sqlite.ts');
    vi.doUnmock('drizzle-orm/version');
    vi.resetModules();
    const message = expect.stringContaining(`drizzle-orm from 0.45.2, below 0.46 (got ${npmVersion})`);
    const runs = [async () => encryptedTable('t', {}), async () => withEncryption(db, eaas, { index })];
    const outcomes = await Promise.allSettled(runs.map(async (run) => run()));
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'definition', message }) };
    const accepted = { status: 'fulfilled', value: expect.anything() };
    const expected = /^0\.45\.(?:2|10)$/.test(npmVersion) ? accepted : refused;
    expect(outcomes).toEqual([expected, expected]);
  },
);
