import { readConfig } from '@eaas/test-kit/cli';
import { openPool } from '@eaas/test-kit/server';
import {
  createTenant,
  insider,
  listTenants,
  type OpenService,
  openService,
  operations,
  updateTenant,
} from '@eaas/server/internal';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { permissions } from '@eaas/protocol/wire';
import { beforeEach, expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { closing } from '@eaas/test-kit/closing';
import { environmentOf, migrated, createDatabase } from '@eaas/test-kit/database';
import {
  createApplicationApiKey,
  type DevelopmentTenant,
  isApiKeyOf,
  openDevelopmentTenant,
  openSession,
} from './development-tenant.ts';

let open: OpenService;
let file: string;
beforeEach(async () => {
  const database = await createDatabase(migrated);
  const config = readConfig(environmentOf(database.url));
  open = await closing(openService(config, 'command'), (it) => it.close());
  file = join(await newDirectory(), 'dev.json');
});

const operator = ({ tenant_id }: DevelopmentTenant) => insider(tenant_id, 'operator');
const apiKeysOf = async (tenant: DevelopmentTenant) =>
  (await operations['GET /v1/api-keys'](open.service, operator(tenant), {})).api_keys;

test('the first start creates a tenant and an API key, and stores no token', async () => {
  const { tenant, apiKey } = await openDevelopmentTenant(open.service, file);
  expect(await listTenants(open.service)).toMatchObject([{ tenant: { name: 'dev', envelope_only: true } }]);
  expect(await apiKeysOf(tenant)).toMatchObject([
    { name: 'app', permissions: ['encrypt', 'decrypt'], created_by: 'operator' },
  ]);
  expect(await isApiKeyOf(open.service, tenant, apiKey ?? '')).toBe(true);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).not.toContain('eaas_sk_');
});

test('a later start of `eaas dev` keeps the tenant, even if it was renamed', async () => {
  const first = await openDevelopmentTenant(open.service, file);
  await updateTenant(open.service, first.tenant.tenant_id, { name: 'mine' });
  const second = await openDevelopmentTenant(open.service, file);
  expect(second).toEqual({ tenant: first.tenant, apiKey: null });
  expect(await apiKeysOf(first.tenant)).toHaveLength(1);
  expect(await listTenants(open.service)).toHaveLength(1);
});

test('after an interrupted start, the next start of `eaas dev` creates what is missing', async () => {
  const first = await openDevelopmentTenant(open.service, file);
  const { tenant_id, key_id } = first.tenant;
  await writeFile(file, JSON.stringify({ tenant_id, key_id }));
  const second = await openDevelopmentTenant(open.service, file);
  expect(second.tenant).toMatchObject({ tenant_id, key_id });
  expect(second.apiKey).toMatch(/^eaas_sk_/);
});

test('`eaas dev` never uses a tenant that it did not create', async () => {
  const { tenant_id } = await createTenant(open.service, { name: 'dev' });
  await expect(openDevelopmentTenant(open.service, file)).rejects.toThrow(
    'another tenant already has this name. Rename the other tenant',
  );
  expect(await apiKeysOf({ tenant_id, key_id: '', index_key: '' })).toEqual([]);
});

test('a sign-in creates an API key that may see every page of the console and expires after a day', async () => {
  const { tenant } = await openDevelopmentTenant(open.service, file);
  const before = Date.now();
  const session = await openSession(open.service, tenant, '127.0.0.1');
  expect(Object.keys(session).toSorted()).toEqual(['api_key', 'expires_at', 'tenant']);
  expect(session.tenant).toBe('dev');
  const lifetime = Date.parse(session.expires_at) - before;
  expect(Math.abs(lifetime - 86_400_000)).toBeLessThan(60_000);
  const [apiKey] = await apiKeysOf(tenant);
  expect(apiKey).toMatchObject({ permissions: [...permissions], expires_at: session.expires_at });
  expect(apiKey?.name).toMatch(/^console \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  const [entry] = (await operations['GET /v1/audit'](open.service, operator(tenant), { limit: 1 })).logs;
  expect(entry).toMatchObject({ action: 'api_key.create', actor: 'operator', ip_address: '127.0.0.1' });
});

test('`isApiKeyOf` refuses revoked and malformed API keys, and API keys of other tenants', async () => {
  const { tenant, apiKey } = await openDevelopmentTenant(open.service, file);
  const other = await createTenant(open.service, { name: 'other' });
  const { key_id, index_key } = tenant;
  const foreign = await createApplicationApiKey(open.service, {
    tenant_id: other.tenant_id,
    key_id,
    index_key,
  });
  const [record] = await apiKeysOf(tenant);
  await operations['DELETE /v1/api-keys/:api_key_id'](open.service, operator(tenant), {
    api_key_id: record?.api_key_id ?? '',
  });
  for (const token of [foreign, apiKey ?? '', 'eaas_sk_wrong', undefined]) {
    expect(await isApiKeyOf(open.service, tenant, token)).toBe(false);
  }
});

test('`eaas dev` refuses a database from before the first release, and says what to delete', async () => {
  const { connection, url } = await createDatabase();
  const owner = openPool(connection('owner'), 1);
  await owner.unsafe('create schema eaas; create table eaas.migrations as select 3 as version');
  await owner.end();
  const own = { connection: connection('server'), ownerConnection: connection('owner'), serverRole: null };
  const rootKey = { load: () => Promise.reject() };
  const openEmbedded = async () => ({ ...own, rootKey, named: 'the database', close: async () => {} });
  const options = { ...readConfig(environmentOf(url)), databaseUrl: null, openEmbedded };
  await expect(openService(options, 'serve')).rejects.toThrow(
    /before the first release\. .*: export .*delete the data directory of `eaas dev`/,
  );
});
