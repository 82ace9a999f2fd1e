import { createTenant, type Database, openService } from '@eaas/server/internal';
import { randomBytes } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { migrated, createDatabase } from '@eaas/test-kit/database';
import { readConfig } from './config.ts';

const EAAS_ROOT_KEY = randomBytes(32).toString('base64');
const place = await createDatabase(migrated);
afterEach(() => void vi.restoreAllMocks());

const open = () =>
  openService(readConfig({ EAAS_DATABASE_URL: place.url('server'), EAAS_ROOT_KEY }), 'command');

test('a command uses the database’s clock and not the clock of its own machine', async () => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
  const before = now();
  const { service, close } = await open();
  const { created_at } = await createTenant(service, { name: 'acme' });
  expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before - 1_000);
  expect(Date.parse(created_at)).toBeLessThanOrEqual(now() + 1_000);
  await close();
});

test('a server opens at most 20 connections to the database', async () => {
  const { service, close } = await open();
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
