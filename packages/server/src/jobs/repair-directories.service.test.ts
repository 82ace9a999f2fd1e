import { alone } from '@eaas/test-kit/alone';
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { apiOf, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { createTenant, requireTenant } from '../operations/tenants.ts';
import { checkNewDirectoryRows, repairDirectories } from './housekeeping.ts';

const world = await testWorld();
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann');

const counts = async () => {
  const [row] = await attacker.sql<{ tokens: number; names: number }[]>`
    select (select count(*)::int from eaas.token_directory) as tokens,
      (select count(*)::int from eaas.tenant_names) as names`;
  return row;
};

const names = async () =>
  (await attacker.sql<{ name: string }[]>`select name from eaas.tenant_names order by name`).map(
    ({ name }) => name,
  );

const leave = async (name: string, age: number) => {
  await attacker.sql`insert into eaas.token_directory (token_hash, tenant_id, created_at)
    values (${randomBytes(32)}, ${randomUUID()}, eaas.now_ms() - ${age}::int)`;
  await attacker.sql`insert into eaas.tenant_names (name, tenant_id, created_at)
    values (${name}, ${randomUUID()}, eaas.now_ms() - ${age}::int)`;
};

test('the hourly check reads the names of the last three hours, and removes names of missing tenants', async () => {
  const before = await counts();
  const hour = 3_600_000;
  for (const age of [61_000, 2 * hour, 4 * hour]) await leave(`${age} ms old`, age);
  await checkNewDirectoryRows(world.replica(), alone());
  expect(await names()).toEqual([`${4 * hour} ms old`, 'ann']);
  expect(await statusOf(apiOf(world.replica(), ann.token)('GET /v1/keys', {}))).toBe(200);
  await repairDirectories(world.replica(), alone());
  expect(await counts()).toEqual(before);
});

test('if a crash interrupts the creation of a tenant, its name is free again after a minute', async () => {
  await leave('abandoned', 61_000);
  await leave('taken over', 61_000);
  await leave('being made', 1_000);
  expect(await statusOf(createTenant(world.replica(), { name: 'being made' }))).toBe(409);
  await createTenant(world.replica(), { name: 'taken over' });
  await repairDirectories(world.replica(), alone());
  expect(await counts()).toEqual({ tokens: 2, names: 3 });
  await attacker.sql`delete from eaas.tenant_names where name = 'being made'`;
  await attacker.sql`delete from eaas.token_directory where tenant_id <> ${ann.tenantId}`;
});

test('the repair job restores removed rows of `token_directory` and `tenant_names`', async () => {
  const before = await counts();
  await attacker.sql`delete from eaas.token_directory`;
  await attacker.sql`delete from eaas.tenant_names`;
  expect(await statusOf(apiOf(world.replica(), ann.token)('GET /v1/keys', {}))).toBe(401);
  await repairDirectories(world.replica(), alone());
  expect(await counts()).toEqual(before);
  expect(await statusOf(apiOf(world.replica(), ann.token)('GET /v1/keys', {}))).toBe(200);
  expect(await requireTenant(world.replica(), 'ann')).toMatchObject({ tenant: { tenant_id: ann.tenantId } });
});

test('a refused creation of an API key or a tenant adds no rows to the directories of tokens and names', async () => {
  const before = await counts();
  const api = apiOf(world.replica(), ann.token);
  const key_ids = [randomUUID()];
  expect(await statusOf(api('POST /v1/api-keys', { name: 'x', permissions: ['encrypt'], key_ids }))).toBe(
    404,
  );
  expect(await statusOf(createTenant(world.replica(), { name: 'ann' }))).toBe(409);
  expect(await counts()).toEqual(before);
});
