import { expect, onTestFinished, test, vi } from 'vitest';
import { createDatabase } from '@eaas/test-kit/database';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { Database } from './database.ts';
import { DatabaseBusy, DatabaseSlow } from './faults.ts';
import { type Connection, type Sql } from './sql.ts';

const place = await createDatabase();

function open(max: number, siblings?: Set<Database>, connection: Connection = place.connection('server')) {
  const database = new Database(connection, max, siblings);
  onTestFinished(() => database.close());
  return database;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const backend = (database: Database) =>
  database.run(async (sql) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid;
  });

async function terminate(...databases: Database[]): Promise<void> {
  const pids = await Promise.all(databases.map(backend));
  const other = open(1, undefined, place.connection('superuser'));
  for (const pid of pids) await other.run((sql) => sql`select pg_terminate_backend(${pid ?? 0}::integer)`);
}

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
  const long = database.run(() => new Promise<void>((resolve) => (end = resolve)));
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

test('if a connection is unresponsive, its pool and all pools without a recent response are replaced', async () => {
  setTimeLimits(1);
  const siblings = new Set<Database>();
  const [slow, idle] = [open(1, siblings), open(1, siblings)];
  const [early, working] = [open(1, siblings), open(1, siblings)];
  const before = await Promise.all([backend(slow), backend(idle), backend(early)]);
  const worker = await backend(working);
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const pass = (milliseconds: number) => {
    now += milliseconds;
    return vi.advanceTimersByTimeAsync(milliseconds);
  };
  const late = failureOf(slow.run(() => new Promise(() => {}), 2_000));
  // The pool `early` must also be replaced. Its response arrives just after the query of the pool `slow` began, so it
  // does not prove that the database still responds.
  expect(await backend(early)).toBe(before[2]);
  await pass(1_500);
  expect(await backend(working)).toBe(worker);
  await pass(500);
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(await late).toBeInstanceOf(DatabaseSlow);
  expect(await backend(working)).toBe(worker);
  const after = await Promise.all([backend(slow), backend(idle), backend(early)]);
  for (const [nth, pid] of before.entries()) expect(after[nth]).not.toBe(pid);
});

test('if a pool loses a connection, every pool on the same server opens a new connection', async () => {
  const siblings = new Set<Database>();
  const [one, other] = [open(1, siblings), open(1, siblings)];
  const pids = [await backend(one), await backend(other)];
  const lost = failureOf(one.run((sql) => sql`select pg_sleep(60)`, 60_000));
  const superuser = open(1, undefined, place.connection('superuser'));
  const running = (sql: Sql) => sql`select from pg_stat_activity
    where pid = ${pids[0] ?? 0} and state = 'active' and query like '%pg_sleep%'`;
  await expect.poll(async () => (await superuser.run(running)).length).toBe(1);
  await terminate(other);
  await superuser.run((sql) => sql`select pg_terminate_backend(${pids[0] ?? 0}::integer)`);
  expect(String(await lost)).toMatch(/terminating|CONNECTION_CLOSED/);
  for (const [nth, database] of [one, other].entries()) expect(await backend(database)).not.toBe(pids[nth]);
});
