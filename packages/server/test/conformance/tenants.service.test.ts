import { describe, expect, test } from 'vitest';
import {
  clientOf,
  commandJson,
  commandLine,
  type IssuedApiKey,
  newTenant,
  ok,
  only,
  type TenantRecord,
  uniqueName,
} from '@eaas/test-kit/fixture';
import { apiKeyRecord, aUuid } from './shapes.ts';

const create = (...options: string[]) =>
  commandJson<TenantRecord>('tenant', 'create', '--name', uniqueName('tenant'), ...options);

describe('eaas tenant create', () => {
  test('`tenant create` prints the tenant with the field names of the API', async () => {
    const name = uniqueName('Acme & Söhne');
    const options = ['--name', name, '--envelope-only', 'false', '--json'];
    const { code, stdout } = await commandLine('tenant', 'create', ...options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
    expect(JSON.parse(stdout)).toMatchObject({
      tenant_id: aUuid,
      name,
      envelope_only: false,
      monthly_encrypt_quota: null,
    });
  });

  test.for([
    ['2026-08-10T23:59:59.999Z', false],
    ['2026-08-11T00:00:00.000Z', true],
    ['2026-08-11T01:00:00+02:00', false],
    ['2026-08-10T23:00:00-02:00', true],
    ['2020-01-01T00:00:00Z', false],
  ] as const)('a tenant created at %s has envelope_only %s', async ([at, expected]) => {
    expect(await create('--created-at', at)).toMatchObject({ envelope_only: expected });
  });

  test('a new tenant has envelope_only true by default', async () => {
    expect(await create()).toMatchObject({ envelope_only: true });
    expect(await create('--envelope-only', 'false')).toMatchObject({ envelope_only: false });
    const old = await create('--created-at', '2020-01-01T00:00:00Z', '--envelope-only', 'true');
    expect(old).toMatchObject({ envelope_only: true });
  });
});

describe('eaas tenant show and set', () => {
  test('tenant show and set accept an id or a name', async () => {
    const tenant = await create('--envelope-only', 'false');
    expect(await commandJson('tenant', 'show', tenant.tenant_id)).toStrictEqual(tenant);
    expect(await commandJson('tenant', 'show', tenant.name)).toStrictEqual(tenant);
    const limited = { ...tenant, monthly_encrypt_quota: 3 };
    const set = ['tenant', 'set', tenant.name, '--monthly-encrypt-quota'] as const;
    expect(await commandJson(...set, '3')).toStrictEqual(limited);
    expect(await commandJson('tenant', 'show', tenant.tenant_id)).toStrictEqual(limited);
    expect(await commandJson(...set, 'null')).toStrictEqual(tenant);
    const closed = await commandJson('tenant', 'set', tenant.tenant_id, '--envelope-only', 'true');
    expect(closed).toStrictEqual({ ...tenant, envelope_only: true });
  });
});

describe('eaas tenant destroy', () => {
  test('after tenant destroy, all access to the tenant is refused immediately', async () => {
    const tenant = await newTenant();
    await tenant.newKey();
    expect(await tenant.api.get('/v1/keys')).toHaveStatus(200);
    const { code, stdout } = await commandLine(
      'tenant',
      'destroy',
      tenant.name,
      '--confirm',
      tenant.name,
      '--json',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
    expect(await tenant.api.get('/v1/keys')).toBeProblem('unauthorized');
    const { stdout: list } = await commandLine('tenant', 'list', '--json');
    expect(list).toContain('tenant_id');
  });
});

describe('eaas api-key create', () => {
  test('api-key create prints the record with the token, for a tenant by id or name', async () => {
    const { tenant_id, name } = await create();
    for (const tenant of [tenant_id, name]) {
      const args = ['--tenant', tenant, '--name', 'ci', '--permissions', 'encrypt,decrypt', '--json'];
      const { code, stdout } = await commandLine('api-key', 'create', ...args);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
      const { api_key, ...record } = JSON.parse(stdout) as IssuedApiKey;
      expect(api_key).toMatch(/^eaas_sk_/);
      expect(record).toStrictEqual(
        apiKeyRecord({ name: 'ci', hint: api_key.slice(-4), created_by: 'operator' }),
      );
      expect(record.permissions.toSorted()).toStrictEqual(['decrypt', 'encrypt']);
    }
  });

  test('the audit entry of the command `api-key create` has the actor `operator` and no IP address', async () => {
    const tenant = await newTenant();
    const entry = only(await tenant.entries());
    expect(entry).toMatchObject({ id: 1, action: 'api_key.create', actor: 'operator', ip_address: null });
  });
});

test('the token of an API key named `test` has the usual format and works', async () => {
  const { tenant_id } = await commandJson<TenantRecord>('tenant', 'create', '--name', uniqueName('test'));
  const args = ['--tenant', tenant_id, '--name', 'test', '--permissions', 'keys.read'];
  const { api_key } = await commandJson<IssuedApiKey>('api-key', 'create', ...args);
  expect(api_key).toMatch(/^eaas_sk_[0-9A-Za-z]{49}$/);
  expect(ok(await (await clientOf(api_key)).get('/v1/keys')).total).toBe(0);
});
