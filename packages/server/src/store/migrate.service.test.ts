import { ROLES } from '@eaas/test-kit/dev';
import { beforeEach, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { type TestDatabase, testDatabase } from '@eaas/test-kit/database';
import { isMigrated, migrate, newestVersion, schemaVersion } from './migrate.ts';
import { openPool, type Pool } from './sql.ts';

const steps = ['create table eaas.first (n int)', 'create table eaas.second (n int)'];

let place: TestDatabase;
let owner: Pool;
beforeEach(async () => {
  place = await testDatabase();
  owner = await closing(openPool(place.connection('owner'), 1), (it) => it.end());
});

async function tables(): Promise<string[]> {
  const rows = await owner<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'eaas'::regnamespace and relkind = 'r' order by 1`;
  return rows.map(({ name }) => name);
}

// `grant` names the tables of the service, so these steps, which have other tables, are applied without a role.
const apply = (wanted: readonly string[], sql = owner) => migrate(sql, null, {}, wanted);

test('a migration applies each missing step once', async () => {
  expect(await apply(steps.slice(0, 1))).toBe(1);
  expect(await tables()).toEqual(['first', 'migrations']);
  expect(await apply(steps)).toBe(1);
  expect(await tables()).toEqual(['first', 'migrations', 'second']);
  expect([await apply(steps), await schemaVersion(owner)]).toEqual([0, 2]);
});

test('if a step fails, none of the missing steps is applied', async () => {
  await apply(steps.slice(0, 1));
  await expect(apply([...steps, 'select 1 / 0'])).rejects.toThrow('division by zero');
  expect(await tables()).toEqual(['first', 'migrations']);
  expect(await schemaVersion(owner)).toBe(1);
});

test('of several migrations at the same time, one applies the steps, and the others wait for it', async () => {
  const pools = Array.from({ length: 4 }, () => openPool(place.connection('owner'), 1));
  const applied = await Promise.all(pools.map((pool) => apply(steps, pool)));
  await Promise.all(pools.map((pool) => pool.end()));
  expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 2]);
});

test('a migration waits while another session has locked a table that a step changes', async () => {
  await apply(steps);
  const other = openPool(place.connection('owner'), 1);
  let waits = 0;
  let migrating: Promise<number> | undefined;
  await other.begin(async (tx) => {
    await tx`lock table eaas.first in access exclusive mode`;
    const wanted = [...steps, 'alter table eaas.first add column m int'];
    migrating = migrate(owner, null, { onWait: () => waits++ }, wanted);
    await expect.poll(() => waits).toBeGreaterThan(0);
  });
  expect(await migrating).toBe(1);
  await other.end();
});

test('the role of the server gets its rights with the tables', async () => {
  expect(await isMigrated(owner)).toBe(false);
  expect(await migrate(owner, ROLES.server)).toBe(newestVersion);
  expect(await isMigrated(owner)).toBe(true);
  const server = openPool(place.connection('server'), 1);
  expect(await server`select from eaas.tenants`).toHaveLength(0);
  await expect(server`delete from eaas.audit_entries`).rejects.toThrow('permission denied');
  await server.end();
});
