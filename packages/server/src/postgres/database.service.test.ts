import * as fc from 'fast-check';
import { failureOf } from '@eaas/test-kit/failure-of';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { createDatabase } from '@eaas/test-kit/database';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { Database, type Shared } from './database.ts';
import { DatabaseBusy, DatabaseSlow } from './faults.ts';
import { type Connection, type Sql } from './sql.ts';

const place = await createDatabase();

function open(max: number, shared?: Shared, connection: Connection = place.connection('server')) {
  const database = new Database(connection, max, shared);
  onTestFinished(() => database.close());
  return database;
}

const backend = (database: Database) =>
  database.run(async (sql) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid;
  });

test('waiting for a connection does not count towards the time limit', async () => {
  const database = open(1);
  const first = await backend(database);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const work = () => new Promise((resolve) => setTimeout(resolve, 400));
  const all = Promise.allSettled([1, 2, 3].map(() => database.run(work, 1_000)));
  await vi.advanceTimersByTimeAsync(1_200);
  vi.useRealTimers();
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  expect(await backend(database)).toBe(first);
});

test('a query that gets no connection in time throws DatabaseBusy', async () => {
  const database = open(1);
  const first = await backend(database);
  let end = (): void => {};
  const long = database.run(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  await expect(database.run(async () => {}, 20)).rejects.toBeInstanceOf(DatabaseBusy);
  end();
  await long;
  expect(await backend(database)).toBe(first);
});

test('no transaction waits longer than 3 s for a lock', async () => {
  setTimeLimits(1);
  const database = open(1);
  const lockTimeout = (milliseconds: number) =>
    database.transaction((tx) => tx<{ lock_timeout: string }[]>`show lock_timeout`, milliseconds);
  expect([...(await lockTimeout(10_000))]).toEqual([{ lock_timeout: '3s' }]);
  expect([...(await lockTimeout(2_000))]).toEqual([{ lock_timeout: '1400ms' }]);
});

test('if a connection is unresponsive, it and all free ones without a recent response are replaced', async () => {
  setTimeLimits(1);
  const shared: Shared = [];
  const [slow, other] = [open(1, shared), open(3, shared)];
  const pidsOf = (count: number) => Promise.all(Array.from({ length: count }, () => backend(other)));
  const before = await pidsOf(3);
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const pass = (milliseconds: number) => {
    now += milliseconds;
    return vi.advanceTimersByTimeAsync(milliseconds);
  };
  const late = failureOf(slow.run(() => new Promise(() => {}), 2_000));
  // An answer just after the query began does not prove that the database still responds.
  const [early] = await pidsOf(1);
  await pass(1_500);
  const [working] = await pidsOf(1);
  expect(working).toBe(early);
  await pass(500);
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(await late).toBeInstanceOf(DatabaseSlow);
  const after = await pidsOf(3);
  expect(after.filter((pid) => before.includes(pid))).toEqual([working]);
});

test('if a connection is lost, every database on the server opens new ones', async () => {
  const shared: Shared = [];
  const [one, other] = [open(1, shared), open(1, shared)];
  const before = await Promise.all([one, other].map(backend));
  const lost = failureOf(one.run((sql) => sql`select pg_sleep(60)`, 60_000));
  const superuser = open(1, undefined, place.connection('superuser'));
  const sleeping = (sql: Sql) => sql`select from pg_stat_activity
    where pid in ${sql(before.map(Number))} and state = 'active' and query like '%pg_sleep%'`;
  await expect.poll(async () => (await superuser.run(sleeping)).length).toBe(1);
  for (const pid of before) {
    await superuser.run((sql) => sql`select pg_terminate_backend(${pid ?? 0}::integer)`);
  }
  expect(String(await lost)).toMatch(/terminating|CONNECTION_CLOSED/);
  const after = await Promise.all([one, other].map(backend));
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
});

test.each([
  ['a file of PostgreSQL is missing', '58P01', true],
  ['of a bug of PostgreSQL', 'XX000', true],
  ['of a lock', '55P03', false],
  ['of a cancelled statement', '57014', false],
  ['of a value', '23505', false],
])(
  'a session that fails because %s (%s) is used again unless that can last',
  async (_, errcode, isReplaced) => {
    const database = open(1);
    const first = await backend(database);
    const raise = `do $$ begin raise exception using errcode = '${errcode}'; end $$`;
    expect(await failureOf(database.run((sql) => sql.unsafe(raise)))).toMatchObject({ code: errcode });
    expect((await backend(database)) !== first).toBe(isReplaced);
  },
);

test('a session that is left in a failed transaction fails one more call, and not all', async () => {
  const database = open(1);
  const leave = database.run((sql) => sql.unsafe('begin; select 1 / 0'));
  expect(await failureOf(leave)).toMatchObject({ code: '22012' });
  expect(await failureOf(backend(database))).toMatchObject({ code: '25P02' });
  expect(await backend(database)).toBeTypeOf('number');
});

test('PostgreSQL gets the values of a list as they are', async () => {
  const database = open(1);
  const texts = fc.string({ unit: anyCharacter.filter((one) => one !== '\0') });
  const lists = fc.array(
    fc.oneof(fc.constant(null), texts, fc.constantFrom('NULL', '', '{', '\\', '"', ',')),
  );
  const property = fc.asyncProperty(lists, async (list) => {
    const rows = await database.run((sql) => sql`select to_json(${list}::text[]) as list`);
    expect([...rows]).toEqual([{ list }]);
  });
  await fc.assert(property);
});
