import { createTenant, type Database, openService, type Purpose } from '@eaas/server/internal';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { migrated, type TestDatabase, testDatabase } from '@eaas/test-kit/database';
import { readConfig } from './config.ts';
import { startWarnings } from './doctor/examine.ts';

const EAAS_ROOT_KEY = randomBytes(32).toString('base64');
let place: TestDatabase;
beforeEach(async () => {
  place = await testDatabase(migrated);
});
afterEach(() => void vi.restoreAllMocks());

const open = (purpose: Purpose, env: Record<string, string> = {}) => {
  const config = readConfig({
    EAAS_DATABASE_URL: place.url('server'),
    EAAS_ROOT_KEY,
    ...env,
  });
  return openService({ ...config, extras: [startWarnings(config)] }, purpose);
};

test('a command uses the database’s clock and not the clock of its own machine', async () => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
  const before = now();
  const { service, close } = await open('command');
  const { created_at } = await createTenant(service, { name: 'acme' });
  expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before - 1_000);
  expect(Date.parse(created_at)).toBeLessThanOrEqual(now() + 1_000);
  await close();
});

test('a server warns of what is wrong with its settings and its database, and a command does not', async () => {
  const env = {
    EAAS_HOST: '0.0.0.0',
    EAAS_INSECURE_HTTP: '1',
    EAAS_LOGS: 'x',
    EAAS_DATABASE_URL: place.url('owner'),
  };
  const { warnings, close } = await open('serve', env);
  expect(warnings).toEqual([
    expect.stringContaining('EAAS_LOGS is not a variable'),
    // PostgreSQL runs without durability in the tests, because it is faster.
    expect.stringContaining('fsync is off'),
    expect.stringContaining('full_page_writes is off'),
    expect.stringContaining('synchronous_commit is off'),
    expect.stringContaining('in plain HTTP'),
    expect.stringContaining('owns the tables'),
  ]);
  await close();
  const command = await open('command', { EAAS_DATABASE_URL: place.url('owner') });
  expect(command.warnings).toEqual([]);
  await command.close();
});

test('a server opens at most 20 connections to the database', async () => {
  const config = readConfig({ EAAS_DATABASE_URL: place.url('server'), EAAS_ROOT_KEY });
  const { service, close } = await openService(config, 'command');
  const connectionsOf = async (pool: Database): Promise<number> => {
    const pids = await Promise.all(
      Array.from({ length: 12 }, () =>
        pool.run(
          async (sql) => (await sql`select pg_backend_pid() as pid, pg_sleep(0.1)`)[0]?.['pid'],
          10_000,
        ),
      ),
    );
    return new Set(pids).size;
  };
  const { database, reads, background } = service;
  const counts = [];
  for (const pool of [database, reads, background]) counts.push(await connectionsOf(pool));
  expect(counts).toEqual([10, 4, 6]);
  await close();
});
