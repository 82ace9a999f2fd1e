import { createHash, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { purge } from '../../src/jobs/purge.ts';
import { listChains, updateTenant } from '../../src/operator/tenants.ts';
import { verifyTenant } from '@eaas/service';
import { Database } from '../../src/postgres/database.ts';
import { openAttacker, type Table, tables } from '@eaas/test-kit/attacker';
import { never, populate, type Populated } from '@eaas/test-kit/populated';
import { type Api, apiOf, dek, statusOf, testWorld } from '@eaas/test-kit/world';

const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength: 3072 }).publicKey.export({
  format: 'jwk',
});
const public_key = { kty: 'RSA', n, e } as const;

const world = await testWorld('2019-03-01T00:00:00Z');
const attacker = await openAttacker(world);
const [ann, ben] = await populate(world, attacker);
beforeEach(() => attacker.restore('now'));

async function wrong(tenantId = ann.tenantId): Promise<string[]> {
  const { valid, errors } = await verifyTenant(world.replica(), tenantId);
  return valid === true ? [] : errors.map(({ reason }) => reason);
}

const api: Api = (route, input) => apiOf(world.replica(), ann.token)(route, input);

type Pick = (one: Populated) => readonly [table: Table, where: string, found?: string];

const removals: readonly (readonly [name: string, pick: Pick])[] = [
  ['a key', ({ busy }) => ['keys', `key_id = '${busy}'`]],
  ['a destroyed key', ({ destroyed }) => ['keys', `key_id = '${destroyed}'`]],
  ['a key whose last change is purged', ({ quiet }) => ['keys', `key_id = '${quiet}'`]],
  ["a key's first version", ({ busy }) => ['key_versions', `key_id = '${busy}' and key_version = 1`]],
  ["a key's newest version", ({ busy }) => ['key_versions', `key_id = '${busy}' and key_version = 3`]],
  ["a destroyed key's version", ({ destroyed }) => ['key_versions', `key_id = '${destroyed}'`]],
  ['an API key', ({ limited: { apiKeyId } }) => ['api_keys', `api_key_id = '${apiKeyId}'`]],
  [
    'an API key whose last change is purged',
    ({ quietApiKey: { apiKeyId } }) => ['api_keys', `api_key_id = '${apiKeyId}'`],
  ],
  ['a tenant', ({ tenantId }) => ['tenants', `tenant_id = '${tenantId}'`, `tenant_missing: ${tenantId}`]],
  ["a tenant's head", ({ tenantId }) => ['audit_heads', `tenant_id = '${tenantId}'`, 'head_missing']],
];

test.each(removals)('verify finds that a row was removed: %s', async (_, pick) => {
  const [table, where, found = 'rows_differ'] = pick(ann);
  await attacker.sql.unsafe(`delete from eaas.${table} where ${where}`);
  expect(await wrong()).toContain(found);
  expect(await wrong(ben.tenantId)).toEqual([]);
});

test('calls that need a row that was removed are refused', async () => {
  const { busy: key_id, wrapped: wrapped_key } = ann;
  const { sql } = attacker;
  await sql`delete from eaas.key_versions where key_id = ${key_id}`;
  expect(await statusOf(api('POST /v1/keys/:key_id/wrap', { key_id, dek }))).toBe(503);
  expect(await statusOf(api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key }))).toBe(503);
  await sql`delete from eaas.keys where key_id = ${key_id}`;
  expect(await statusOf(api('POST /v1/keys/:key_id/wrap', { key_id, dek }))).toBe(404);
  await sql`delete from eaas.api_keys where api_key_id = ${ann.apiKeyId}`;
  expect(await statusOf(api('GET /v1/keys', {}))).toBe(401);
});

test('if the log head of a tenant was removed, the tenant’s calls return 503', async () => {
  await attacker.sql`delete from eaas.audit_heads where tenant_id = ${ann.tenantId}`;
  expect(await statusOf(api('GET /v1/keys', {}))).toBe(503);
  expect(await statusOf(api('POST /v1/keys', { name: 'new' }))).toBe(503);
  expect(await statusOf(api('POST /v1/keys/:key_id/wrap', { key_id: ann.busy, dek }))).toBe(503);
});

describe('a server that remembers a row', () => {
  const calls = async () => {
    const baseUrl = await world.serve(world.replica());
    return async (method: string, path: string, { token = ann.token, body = {} } = {}): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const sent = method === 'GET' ? null : JSON.stringify(body);
      return (await fetch(`${baseUrl}${path}`, { method, headers, body: sent })).status;
    };
  };

  test.each([
    ['a list', '/v1/api-keys', 503],
    ['a verification', '/v1/audit/verify', 200],
  ] as const)('refuses it soon after %s has found that it was changed', async (_, path, status) => {
    const send = await calls();
    const { apiKeyId, token } = ann.limited;
    const hash = () => send('POST', '/v1/hash', { token, body: { value: 'x', key_id: ann.busy } });
    const before = await hash();
    expect(before).not.toBe(401);
    await attacker.sql`update eaas.api_keys set hint = 'zzzz' where api_key_id = ${apiKeyId}`;
    expect(await hash()).toBe(before);
    expect(await send('GET', path)).toBe(status);
    await expect.poll(hash).toBe(401);
  });

  test('reads it again before it changes it, so that the evidence stays', async () => {
    const send = await calls();
    const wrap = () => send('POST', `/v1/keys/${ann.busy}/wrap`, { body: { dek } });
    expect(await wrap()).toBe(200);
    await attacker.sql`update eaas.keys set name = 'other' where key_id = ${ann.busy}`;
    expect(await send('POST', `/v1/keys/${ann.busy}/disable`)).toBe(503);
    expect(await wrap()).toBe(503);
    expect(await wrong()).toContain(`key_changed: ${ann.busy}`);
  });
});

test('verify reports a tenant if only the head of its audit log remains', async () => {
  await attacker.sql`delete from eaas.tenants where tenant_id = ${ann.tenantId}`;
  expect(await world.replica().database.run(listChains)).toEqual([
    { tenant_id: ben.tenantId, name: 'ben' },
    { tenant_id: ann.tenantId, name: null },
  ]);
});

describe('an inserted row is not accepted', () => {
  const other = '7d3a5b0e-9d7f-4f0e-8f0a-2b1c3d4e5f60';
  const copy = (table: Table, where: string, changes: Record<string, string>) =>
    attacker.sql.unsafe(
      `insert into eaas.${table} select (jsonb_populate_record(one, '${JSON.stringify(changes)}')).*
       from eaas.${table} one where ${where}`,
    );

  test('verify finds a copy of a key with another id and name', async () => {
    await copy('keys', `key_id = '${ann.quiet}'`, { key_id: other, name: 'copy' });
    expect(await wrong()).toContain(`key_changed: ${other}`);
    expect(await statusOf(api('GET /v1/keys/:key_id', { key_id: other }))).toBe(503);
    expect(await statusOf(api('GET /v1/keys', {}))).toBe(503);
  });

  test('verify finds a copy of an API key with another id and token', async () => {
    await copy('api_keys', `api_key_id = '${ann.apiKeyId}'`, { api_key_id: other, token_hash: '\\\\x00' });
    expect(await wrong()).toContain(`api_key_changed: ${other}`);
  });

  test('the service refuses an API key row with a token of the attacker', async () => {
    // Stores the hash of Ben's token in the row of Ann's API key, to give Ben her permissions.
    await attacker.sql`delete from eaas.api_keys where api_key_id = ${ben.apiKeyId}`;
    await attacker.sql`update eaas.api_keys set token_hash = ${createHash('sha256').update(ben.token).digest()}
      where api_key_id = ${ann.apiKeyId}`;
    const call = apiOf(world.replica(), ben.token)('GET /v1/keys', {});
    expect(await statusOf(call)).toBe(401);
  });

  test('verify finds a key version that an attacker inserted', async () => {
    await copy('key_versions', `key_id = '${ann.busy}' and key_version = 3`, { key_version: '4' });
    expect(await wrong()).toEqual(['rows_differ']);
    await attacker.restore('now');
    await copy('key_versions', `key_id = '${ann.busy}' and key_version = 1`, { key_id: other });
    expect(await wrong()).toEqual(['rows_differ']);
  });

  test('the service refuses a copy of a tenant under another id', async () => {
    const where = `tenant_id = '${ann.tenantId}'`;
    await copy('tenants', where, { tenant_id: other, name: 'copy' });
    await copy('audit_heads', where, { tenant_id: other });
    expect(await wrong(other)).toContain(`tenant_changed: ${other}`);
    expect(await wrong()).toEqual([]);
  });
});

const ofNoTenant: ReadonlySet<string> = new Set([
  'root_checks',
  'verifications',
  'leases',
  'log_keys',
  'log_tiles',
  'log_moments',
]);

describe('rows of another tenant', () => {
  test.each([
    ['keys', 'key_changed'],
    ['key_versions', 'rows_differ'],
    ['api_keys', 'api_key_changed'],
  ] as const)('verify finds rows of %s that were moved to another tenant', async (table, found) => {
    const { sql } = attacker;
    const id = table === 'api_keys' ? 'api_key_id' : 'key_id';
    const [theirs, ours] = table === 'api_keys' ? [ben.apiKeyId, ann.apiKeyId] : [ben.quiet, ann.quiet];
    await sql`delete from eaas.${sql(table)} where ${sql(id)} = ${ours}`;
    await sql`update eaas.${sql(table)} set tenant_id = ${ann.tenantId}, ${sql(id)} = ${ours}
      where ${sql(id)} = ${theirs}`;
    expect(await wrong()).toContain(table === 'key_versions' ? found : `${found}: ${ours}`);
    expect(await wrong(ben.tenantId)).not.toEqual([]);
  });

  test('an API key moved to another tenant is refused', async () => {
    await attacker.sql`update eaas.api_keys set tenant_id = ${ann.tenantId} where api_key_id = ${ben.apiKeyId}`;
    expect(await statusOf(apiOf(world.replica(), ben.token)('GET /v1/keys', {}))).toBe(401);
    expect(await wrong()).toContain(`api_key_changed: ${ben.apiKeyId}`);
  });

  test('verify reports findings for both tenants after their rows were swapped', async () => {
    const { sql } = attacker;
    const nobody = '00000000-0000-0000-0000-000000000000';
    for (const table of tables) {
      if (ofNoTenant.has(table)) continue;
      for (const [from, to] of [
        [ann.tenantId, nobody],
        [ben.tenantId, ann.tenantId],
        [nobody, ben.tenantId],
      ]) {
        await sql`update eaas.${sql(table)} set tenant_id = ${to ?? ''} where tenant_id = ${from ?? ''}`;
      }
    }
    for (const { tenantId, token } of [ann, ben]) {
      expect(await wrong(tenantId)).toContain(`tenant_changed: ${tenantId}`);
      expect(await statusOf(apiOf(world.replica(), token)('GET /v1/keys', {}))).toBe(503);
    }
  });

  test('the service refuses to decrypt if versions of two keys were swapped', async () => {
    const { sql } = attacker;
    await sql`update eaas.key_versions one set sealed = other.sealed from late.key_versions other
      where one.key_version = 1 and other.key_version = 1
        and (one.key_id, other.key_id) in ((${ann.busy}, ${ann.quiet}), (${ann.quiet}, ${ann.busy}))`;
    expect(await wrong()).toEqual(['rows_differ']);
    const unwrapping = api('POST /v1/keys/:key_id/unwrap', { key_id: ann.busy, wrapped_key: ann.wrapped });
    expect(await statusOf(unwrapping)).toBe(503);
  });

  test('the service refuses a key whose rows were replaced by the rows of another key', async () => {
    const { sql } = attacker;
    for (const table of ['keys', 'key_versions']) {
      await sql`delete from eaas.${sql(table)} where key_id = ${ann.quiet}`;
      await sql`update eaas.${sql(table)} set key_id = ${ann.quiet} where key_id = ${ann.busy}`;
    }
    expect(await wrong()).toEqual(expect.arrayContaining([`key_changed: ${ann.quiet}`, 'rows_differ']));
    expect(await statusOf(api('POST /v1/keys/:key_id/wrap', { key_id: ann.quiet, dek }))).toBe(503);
  });
});

describe('a row restored to an older authentic state', () => {
  interface PutBack {
    readonly copy: 'early' | 'middle' | 'late';
    readonly table: Table;
    readonly where: (one: Populated) => string;
    readonly found: (one: Populated) => string;
    readonly change?: (one: Populated) => Promise<unknown>;
  }
  const keyWhere = (name: 'busy' | 'destroyed' | 'pending' | 'quiet') => (one: Populated) =>
    `key_id = '${one[name]}'`;
  const apiKeyWhere = (name: 'limited' | 'revoked' | 'quietApiKey') => (one: Populated) =>
    `api_key_id = '${one[name].apiKeyId}'`;

  const cases: Readonly<Record<string, PutBack>> = {
    'a key before a rotation': {
      copy: 'middle',
      table: 'keys',
      where: keyWhere('busy'),
      found: ({ busy }) => `key_put_back: ${busy}`,
      change: ({ busy }) => api('POST /v1/keys/:key_id/disable', { key_id: busy }),
    },
    'a key before its destruction was requested': {
      copy: 'middle',
      table: 'keys',
      where: keyWhere('pending'),
      found: ({ pending }) => `key_put_back: ${pending}`,
      change: ({ pending }) =>
        api('PUT /v1/keys/:key_id/rotation-policy', { key_id: pending, interval_days: 9 }),
    },
    'a key before it was destroyed': {
      copy: 'middle',
      table: 'keys',
      where: keyWhere('destroyed'),
      found: ({ destroyed }) => `key_put_back: ${destroyed}`,
      change: ({ destroyed }) => api('POST /v1/keys/:key_id/enable', { key_id: destroyed }),
    },
    'a key before a change that is purged': {
      copy: 'early',
      table: 'keys',
      where: keyWhere('quiet'),
      found: ({ quiet }) => `key_put_back: ${quiet}`,
      change: ({ quiet }) => api('POST /v1/keys/:key_id/disable', { key_id: quiet }),
    },
    'a key before several changes, of which some are purged': {
      copy: 'early',
      table: 'keys',
      where: keyWhere('busy'),
      found: ({ busy }) => `key_put_back: ${busy}`,
      change: ({ busy }) => api('POST /v1/keys/:key_id/disable', { key_id: busy }),
    },
    'an API key before it was revoked': {
      copy: 'middle',
      table: 'api_keys',
      where: apiKeyWhere('revoked'),
      found: ({ revoked }) => `api_key_put_back: ${revoked.apiKeyId}`,
      change: ({ revoked }) =>
        apiOf(world.replica(), revoked.token)('PATCH /v1/api-keys/:api_key_id', {
          api_key_id: revoked.apiKeyId,
          name: 'alive',
        }),
    },
    'an API key before it was changed': {
      copy: 'early',
      table: 'api_keys',
      where: apiKeyWhere('limited'),
      found: ({ limited }) => `api_key_put_back: ${limited.apiKeyId}`,
      change: ({ limited }) => api('DELETE /v1/api-keys/:api_key_id', { api_key_id: limited.apiKeyId }),
    },
    'an API key before a change that is purged': {
      copy: 'early',
      table: 'api_keys',
      where: apiKeyWhere('quietApiKey'),
      found: ({ quietApiKey }) => `api_key_put_back: ${quietApiKey.apiKeyId}`,
      change: ({ quietApiKey }) =>
        api('DELETE /v1/api-keys/:api_key_id', { api_key_id: quietApiKey.apiKeyId }),
    },
    'a tenant before its quota was set': {
      copy: 'middle',
      table: 'tenants',
      where: ({ tenantId }) => `tenant_id = '${tenantId}'`,
      found: ({ tenantId }) => `tenant_put_back: ${tenantId}`,
      change: ({ tenantId }) => updateTenant(world.replica(), tenantId, { envelope_only: true }),
    },
    "a destroyed key's material": {
      copy: 'middle',
      table: 'key_versions',
      where: keyWhere('destroyed'),
      found: () => 'rows_differ',
    },
  };

  test.each(Object.entries(cases))(
    'verify names a row restored to an older state: %s',
    async (_, { copy, table, where, found }) => {
      await attacker.putBack(copy, table, where(ann));
      expect(await wrong()).toEqual([...new Set([found(ann), 'rows_differ'])]);
      expect(await wrong(ben.tenantId)).toEqual([]);
    },
  );

  const refused: Partial<Record<Table, (where: string) => Promise<number[]>>> = {
    async keys(where) {
      const [row] = await attacker.sql.unsafe<{ key_id: string }[]>(
        `select key_id from eaas.keys where ${where}`,
      );
      const key_id = row?.key_id ?? '';
      const calls = [
        api('POST /v1/keys/:key_id/wrap', { key_id, dek }),
        api('POST /v1/hash', { key_id, value: 'x' }),
        api('GET /v1/keys/:key_id', { key_id }),
        api('GET /v1/keys', {}),
        api('POST /v1/keys/:key_id/disable', { key_id }),
      ];
      return Promise.all(calls.map(statusOf));
    },
    async api_keys(where) {
      const holder = [ann.limited, ann.quietApiKey, ann.revoked].find(({ apiKeyId }) =>
        where.includes(apiKeyId),
      );
      const call = apiOf(world.replica(), holder?.token ?? '')('POST /v1/hash', {
        key_id: ann.busy,
        value: '',
      });
      const api_key_id = holder?.apiKeyId ?? '';
      const shown = api('GET /v1/api-keys/:api_key_id', { api_key_id });
      // Authentication with the changed API key must fail with 401. Reading the API key must fail with 503.
      const [itself, shownStatus] = await Promise.all([statusOf(call), statusOf(shown)]);
      return [itself === 401 ? 503 : 0, shownStatus];
    },
    tenants: async () => [await statusOf(api('GET /v1/keys', {}))],
  };

  const loaded = Object.entries(cases).filter(([, { table }]) => table !== 'key_versions');
  test.each(loaded)(
    'if a row was put back to an older state, every call that needs the row is refused: %s',
    async (_, { copy, table, where }) => {
      await attacker.putBack(copy, table, where(ann));
      const statuses = await refused[table]?.(where(ann));
      expect(new Set(statuses)).toEqual(new Set([503]));
    },
  );

  /** Only the owner of the tables can change `row_records`. */
  async function putBackWithRecords({ copy, table, where }: PutBack): Promise<void> {
    await attacker.putBack(copy, table, where(ann));
    const ids: Partial<Record<Table, string>> = {
      keys: 'key_id',
      api_keys: 'api_key_id',
      tenants: 'tenant_id',
    };
    const id = ids[table];
    if (id === undefined) return;
    await attacker.sql.unsafe(
      `delete from eaas.row_records where row_id in (select ${id} from eaas.${table} where ${where(ann)});
       insert into eaas.row_records select tenant_id, ${id}, rev from eaas.${table} where ${where(ann)}`,
    );
  }

  test.each(Object.entries(cases))(
    'verify finds a restored row even after later entries: %s',
    async (_, one) => {
      const { change } = one;
      await putBackWithRecords(one);
      await api('POST /v1/keys/:key_id/wrap', { key_id: ann.busy, dek }).catch(() => {});
      await change?.(ann);
      await apiOf(world.replica(), ann.token)('POST /v1/keys', { name: 'another' });
      expect(await wrong()).toEqual(['rows_differ']);
    },
  );

  test.each(Object.entries(cases))('verify finds a restored row also after a purge: %s', async (_, one) => {
    const { change } = one;
    await putBackWithRecords(one);
    await change?.(ann);
    const before = world.time;
    world.time = Date.parse('2040-01-01T00:00:00Z');
    await expect(purge(world.replica(), 60, never)).rejects.toThrow('1 of 2 failed');
    world.time = before;
    expect(await wrong()).toEqual(['rows_differ']);
    expect(await wrong(ben.tenantId)).toEqual([]);
  });
});

test('a key does not become exportable if someone changes the type of the column `exportable` to text', async () => {
  const { sql } = attacker;
  const { busy: key_id } = ann;
  await sql`alter table eaas.keys alter column exportable type text`;
  // PostgreSQL refuses prepared statements that are older than a new column type, so the test opens new connections.
  const database = new Database(world.database.connection('server'), 2);
  try {
    const { errors } = await verifyTenant(world.replica(database), ann.tenantId);
    expect(errors.map(({ reason }) => reason)).toContain(`key_changed: ${key_id}`);
    const call = apiOf(world.replica(database), ann.token);
    expect(await statusOf(call('GET /v1/keys/:key_id', { key_id }))).toBe(503);
    expect(await statusOf(call('POST /v1/keys/:key_id/export', { key_id, public_key }))).toBe(503);
  } finally {
    await database.close();
    await sql`alter table eaas.keys alter column exportable type boolean using exportable::boolean`;
  }
  expect(await wrong()).toEqual([]);
});
