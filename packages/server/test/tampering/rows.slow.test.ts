import { createHash, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { purge } from '../../src/jobs/purge.ts';
import { listChains, updateTenant } from '../../src/operator/tenants.ts';
import { verifyTenant } from '@eaas/service';
import { Database } from '../../src/postgres/database.ts';
import { openAttacker, type Table } from '@eaas/test-kit/attacker';
import { never, people, populate, type Populated } from '@eaas/test-kit/populated';
import { type Api, apiOf, dek, statusOf, testWorld } from '@eaas/test-kit/world';

const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength: 3072 }).publicKey.export({
  format: 'jwk',
});

const public_key = { kty: 'RSA', n, e } as const;

const world = await testWorld('2019-03-01T00:00:00Z');
const attacker = await openAttacker(world);
const [ann, ben] = await populate(world, attacker, people);
beforeEach(() => attacker.restore('now'));

async function wrong(tenantId = ann.tenantId): Promise<string[]> {
  const { valid, errors } = await verifyTenant(world.replica(), tenantId);
  return valid === true ? [] : errors.map(({ reason }) => reason);
}

const api: Api = (route, input) => apiOf(world.replica(), ann.token)(route, input);

const erased = (await api('POST /v1/subjects/show', { subject: 'erased in 2026' })).subject_id;
const issuerId =
  (await api('GET /v1/issuers', {})).issuers.find(({ name }) => name === 'revoked')?.issuer_id ?? '';
const whereErased = () => `tenant_id = '${ann.tenantId}' and subject_id = '\\x${erased}'`;
const whereIssuer = () => `issuer_id = '${issuerId}'`;

type Pick = (one: Populated) => readonly [table: Table, where: string, found?: string];

const removals: readonly (readonly [name: string, pick: Pick])[] = [
  ['a key whose last change is purged', ({ quiet }) => ['keys', `key_id = '${quiet}'`]],
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

const other = '7d3a5b0e-9d7f-4f0e-8f0a-2b1c3d4e5f60';
const copy = (table: Table, where: string, changes: Record<string, string>) =>
  attacker.sql.unsafe(
    `insert into eaas.${table} select (jsonb_populate_record(one, '${JSON.stringify(changes)}')).*
     from eaas.${table} one where ${where}`,
  );

test('an inserted key is found, and refused by itself and in lists', async () => {
  await copy('keys', `key_id = '${ann.quiet}'`, { key_id: other, name: 'copy' });
  expect(await wrong()).toContain(`key_changed: ${other}`);
  expect(await statusOf(api('GET /v1/keys/:key_id', { key_id: other }))).toBe(503);
  expect(await statusOf(api('GET /v1/keys', {}))).toBe(503);
});

test('the service refuses an API key row with a token of the attacker', async () => {
  // Stores the hash of Ben's token in the row of Ann's API key, to give Ben her permissions.
  await attacker.sql`delete from eaas.api_keys where api_key_id = ${ben.apiKeyId}`;
  await attacker.sql`update eaas.api_keys set token_hash = ${createHash('sha256').update(ben.token).digest()}
    where api_key_id = ${ann.apiKeyId}`;
  expect(await statusOf(apiOf(world.replica(), ben.token)('GET /v1/keys', {}))).toBe(401);
});

test('the service refuses a copy of a tenant under another id', async () => {
  const where = `tenant_id = '${ann.tenantId}'`;
  await copy('tenants', where, { tenant_id: other, name: 'copy' });
  await copy('audit_heads', where, { tenant_id: other });
  expect(await wrong(other)).toContain(`tenant_changed: ${other}`);
  expect(await wrong()).toEqual([]);
});

describe('rows of another tenant', () => {
  test('an API key moved to another tenant is refused', async () => {
    await attacker.sql`update eaas.api_keys set tenant_id = ${ann.tenantId} where api_key_id = ${ben.apiKeyId}`;
    expect(await statusOf(apiOf(world.replica(), ben.token)('GET /v1/keys', {}))).toBe(401);
    expect(await wrong()).toContain(`api_key_changed: ${ben.apiKeyId}`);
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
});

describe('a row restored to an older authentic state', () => {
  interface PutBack {
    readonly copy: 'early' | 'middle';
    readonly table: Table;
    readonly where: string;
    readonly found: string;
    /** What an unaware service would do with the row. */
    readonly change?: () => Promise<unknown>;
  }
  const key = (copy: PutBack['copy'], key_id: string, to: 'enable' | 'disable'): PutBack => {
    const change = () => api(`POST /v1/keys/:key_id/${to}`, { key_id });
    return { copy, table: 'keys', where: `key_id = '${key_id}'`, found: `key_put_back: ${key_id}`, change };
  };
  const apiKey = (copy: PutBack['copy'], api_key_id: string): PutBack => {
    const found = `api_key_put_back: ${api_key_id}`;
    const change = () => api('DELETE /v1/api-keys/:api_key_id', { api_key_id });
    return { copy, table: 'api_keys', where: `api_key_id = '${api_key_id}'`, found, change };
  };
  const { busy, destroyed, quiet, limited, revoked, quietApiKey, tenantId } = ann;

  const cases: Readonly<Record<string, PutBack>> = {
    'a key before it was destroyed': key('middle', destroyed, 'enable'),
    'a key before a change that is purged': key('early', quiet, 'disable'),
    'a key before several changes, of which some are purged': key('early', busy, 'disable'),
    'an API key before it was revoked': apiKey('middle', revoked.apiKeyId),
    'an API key before a change that is purged': apiKey('early', quietApiKey.apiKeyId),
    'an issuer before it was revoked': {
      copy: 'middle',
      table: 'issuers',
      where: whereIssuer(),
      found: `issuer_put_back: ${issuerId}`,
    },
    'a person before the erasure': {
      copy: 'middle',
      table: 'subjects',
      where: whereErased(),
      found: `subject_put_back: ${erased.slice(0, 32)}`,
    },
    'a tenant before its quota was set': {
      copy: 'middle',
      table: 'tenants',
      where: `tenant_id = '${tenantId}'`,
      found: `tenant_put_back: ${tenantId}`,
      change: () => updateTenant(world.replica(), tenantId, { envelope_only: true }),
    },
    "a destroyed key's material": {
      copy: 'middle',
      table: 'key_versions',
      where: `key_id = '${destroyed}'`,
      found: 'rows_differ',
    },
  };

  /** Calls that need the row, of which each answers 503. */
  const needing: Partial<Record<Table, (id: string) => Promise<unknown>[]>> = {
    keys: (key_id) => [
      api('POST /v1/keys/:key_id/wrap', { key_id, dek }),
      api('POST /v1/hash', { key_id, value: 'x' }),
      api('GET /v1/keys/:key_id', { key_id }),
      api('GET /v1/keys', {}),
      api('POST /v1/keys/:key_id/disable', { key_id }),
    ],
    api_keys: (api_key_id) => [api('GET /v1/api-keys/:api_key_id', { api_key_id })],
    issuers: (issuer_id) => [api('GET /v1/issuers/:issuer_id', { issuer_id })],
    subjects: () => [
      api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek, subject: 'erased in 2026' }),
      api('POST /v1/subjects/show', { subject: 'erased in 2026' }),
      api('POST /v1/subjects/erase', { subject: 'erased in 2026' }),
    ],
    tenants: () => [api('GET /v1/keys', {})],
  };

  test.each(Object.entries(cases))(
    'is named, and every call that needs it is refused: %s',
    async (_, { copy: from, table, where, found }) => {
      await attacker.putBack(from, table, where);
      expect(await wrong()).toEqual([...new Set([found, 'rows_differ'])]);
      expect(await wrong(ben.tenantId)).toEqual([]);
      const id = found.split(': ')[1] ?? '';
      const statuses = await Promise.all(needing[table]?.(id).map(statusOf) ?? []);
      expect(statuses).toEqual(statuses.map(() => 503));
      const holder = [limited, quietApiKey, revoked].find(({ apiKeyId }) => apiKeyId === id);
      if (!holder) return;
      const hash = apiOf(world.replica(), holder.token)('POST /v1/hash', { key_id: busy, value: '' });
      expect(await statusOf(hash)).toBe(401);
    },
  );

  /** Only the owner of the tables can change `row_records`. */
  async function putBackWithRecords({ copy: from, table, where, found }: PutBack): Promise<void> {
    await attacker.putBack(from, table, where);
    if (table === 'key_versions') return;
    const id = found.split(': ')[1] ?? '';
    await attacker.sql.unsafe(`delete from eaas.row_records where row_id = '${id}'`);
    if (table === 'subjects') return;
    await attacker.sql.unsafe(
      `insert into eaas.row_records select tenant_id, '${id}', rev from eaas.${table} where ${where}`,
    );
  }

  test.each(Object.entries(cases))(
    'is found even beside a forged record and after later entries, and stops the purge: %s',
    async (what, one) => {
      // The key is changed after its destruction.
      const found =
        what === 'a key before it was destroyed' ? ['contradiction', 'rows_differ'] : ['rows_differ'];
      await putBackWithRecords(one);
      await api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek }).catch(() => {});
      await one.change?.();
      await apiOf(world.replica(), ann.token)('POST /v1/keys', { name: 'another' });
      expect(await wrong()).toEqual(found);
      const before = world.time;
      world.time = Date.parse('2040-01-01T00:00:00Z');
      await expect(purge(world.replica(), 60, never)).rejects.toThrow('1 of 2 failed');
      world.time = before;
      expect(await wrong()).toEqual(found);
      expect(await wrong(ben.tenantId)).toEqual([]);
    },
  );
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
