// Rows of a tenant that a superuser exchanges whole for those of a backup, and puts back: what notices it, and what does not.
import { closing } from '@eaas/test-kit/closing';
import { apiOf, dek, settle, statusOf, testWorld, type World } from '@eaas/test-kit/world';
import postgres from 'postgres';
import { newDirectory } from '@eaas/test-kit/directory';
import { expect, onTestFinished, test } from 'vitest';
import { openHeadFile } from '../../src/state/head-file.ts';

const world = await testWorld();
const options = { ...world.database.connection('superuser'), max: 1, onnotice: () => {} };
const superuser = await closing(postgres(options), (it) => it.end());
const tables = await superuser<{ name: string }[]>`
  select table_name as name from information_schema.columns
  join information_schema.tables using (table_schema, table_name)
  where table_schema = 'eaas' and column_name = 'tenant_id' and table_type = 'BASE TABLE'`;

const guards = await superuser<{ table: string; name: string }[]>`
  select tgrelid::regclass::text as table, tgname as name from pg_trigger
  where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = 'eaas'::regnamespace)`;

/** Copies all rows of a tenant into a schema of its own, as a backup has them. */
async function backUp(tenantId: string, backup: string): Promise<void> {
  await superuser`create schema ${superuser(backup)}`;
  for (const { name } of tables) {
    await superuser`
      create table ${superuser(`${backup}.${name}`)} as
        select * from ${superuser(`eaas.${name}`)} where tenant_id = ${tenantId}`;
  }
}

/** Exchanges all rows of a tenant for those of a backup. */
async function restore(tenantId: string, backup: string): Promise<void> {
  await superuser.begin(async (sql) => {
    for (const { name } of tables) await sql`alter table ${sql(`eaas.${name}`)} disable trigger all`;
    for (const { name } of tables) {
      await sql`delete from ${sql(`eaas.${name}`)} where tenant_id = ${tenantId}`;
      await sql`insert into ${sql(`eaas.${name}`)} select * from ${sql(`${backup}.${name}`)}`;
    }
    for (const { name } of tables) {
      await sql`alter table ${sql(`eaas.${name}`)} enable trigger all`;
    }
    for (const { table, name } of guards) {
      await sql.unsafe(`alter table ${table} enable always trigger ${name}`);
    }
  });
}

/** A tenant whose API key is in the backup `before`, and revoked in the backup `after`. */
async function revokedTenant(service: ReturnType<World['replica']>, name: string) {
  const tenant = await settle(service, name);
  const api = apiOf(service, tenant.token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  const revoked = await api('POST /v1/api-keys', { name: 'old', permissions: ['encrypt', 'decrypt'] });
  const wrapped = await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
  const [before, after] = [`${name}_before`, `${name}_after`];
  await backUp(tenant.tenantId, before);
  await api('DELETE /v1/api-keys/:api_key_id', { api_key_id: revoked.api_key_id });
  await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
  await backUp(tenant.tenantId, after);
  const open = (replica: ReturnType<World['replica']>, token = revoked.api_key) =>
    statusOf(apiOf(replica, token)('POST /v1/keys/:key_id/unwrap', wrapped));
  return { ...tenant, open, before, after };
}

/** A replica, with the lines that its alarms log. */
function watched(options: Parameters<typeof world.replicaWith>[0] = {}) {
  const replica = world.replicaWith(options);
  const lines: object[] = [];
  replica.alarms.log = (fields) => lines.push(fields);
  return { replica, lines };
}

test('a server that has met the tenant, and is called meanwhile, tells what it has seen and what there is', async () => {
  const { replica, lines } = watched();
  const { tenantId, token, open, before, after } = await revokedTenant(replica, 'called');
  expect(await open(replica)).toBe(401);

  await restore(tenantId, before);
  expect(await open(replica, token)).toBe(200);
  await restore(tenantId, after);

  expect(replica.counts.wentBack).toBeGreaterThan(0);
  expect(lines).toContainEqual({
    tenant_id: tenantId,
    seen_entry: expect.any(Number),
    newest_entry: expect.any(Number),
  });
});

test('a server that has not met the tenant yet opens what was revoked, and nothing shows it afterwards', async () => {
  const { replica, lines } = watched();
  const { tenantId, open, before, after } = await revokedTenant(replica, 'uncalled');
  const fresh = watched();

  await restore(tenantId, before);
  expect(await open(fresh.replica)).toBe(200);
  await restore(tenantId, after);

  expect(await open(replica)).toBe(401);
  expect([lines, fresh.lines, replica.counts.wentBack, fresh.replica.counts.wentBack]).toEqual([
    [],
    [],
    0,
    0,
  ]);
});

test('a server that starts during the exchange, and remembers, tells it', async () => {
  const directory = await newDirectory();
  const earlier = await openHeadFile(directory);
  const { replica } = watched({ headMemory: earlier.heads });
  const { tenantId, open, before, after } = await revokedTenant(replica, 'remembered');
  expect(await open(replica)).toBe(401);
  const seen = earlier.heads.get(tenantId);
  await earlier.heads.close();

  const { heads } = await openHeadFile(directory);
  onTestFinished(() => heads.close());
  const fresh = watched({ headMemory: heads });
  await restore(tenantId, before);
  expect(await open(fresh.replica)).toBe(200);
  await restore(tenantId, after);

  expect(fresh.replica.counts.wentBack).toBeGreaterThan(0);
  expect(fresh.lines).toContainEqual({
    tenant_id: tenantId,
    seen_entry: seen?.id,
    newest_entry: expect.any(Number),
  });
});
