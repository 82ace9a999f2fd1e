// Rows that SQL has changed, on PostgreSQL: a verification finds them, and calls that need them are refused. Which changes a
// verification finds is judged in memory, of every column and every entry, by `verify.test.ts` of the service.
import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { updateTenant } from '../../src/operator/tenants.ts';
import { verifyTenant } from '@eaas/service';
import { Database } from '../../src/postgres/database.ts';
import { openAttacker, type Table } from '@eaas/test-kit/attacker';
import { jwkOfBits } from '@eaas/test-kit/rsa';
import { type Api, apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';

const world = await testWorld();
const attacker = await openAttacker(world);
const [ann, ben] = [await settle(world.replica(), 'ann'), await settle(world.replica(), 'ben')];
const { tenantId } = ann;
const api: Api = (route, input) => apiOf(world.replica(), ann.token)(route, input);
const newKey = async (name: string) => (await api('POST /v1/keys', { name })).key_id;
const [busy, destroyed] = [await newKey('busy'), await newKey('destroyed')];
const subject = 'patient 42';
const { wrapped_key } = await api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek });
await api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek, subject });
await api('POST /v1/keys/:key_id/disable', { key_id: destroyed });
await attacker.keep('earlier');
await api('DELETE /v1/keys/:key_id', { key_id: destroyed, grace_days: 0 });
const { subject_id } = await api('POST /v1/subjects/erase', { subject });
await updateTenant(world.replica(), tenantId, { monthly_encrypt_quota: 50 });
await attacker.keep('now');
beforeEach(() => attacker.restore('now'));

async function wrong(tenantId = ann.tenantId): Promise<string[]> {
  const { valid, errors } = await verifyTenant(world.replica(), tenantId);
  return valid === true ? [] : errors.map(({ reason }) => reason);
}

type Needing = () => Promise<unknown>[];
/** Rows by their kinds, with their names and the calls that need them. */
const rows: readonly [kind: string, table: Table, where: string, name: string, Needing][] = [
  ['tenant', 'tenants', `tenant_id = '${tenantId}'`, tenantId, () => [api('GET /v1/keys', {})]],
  [
    'key',
    'keys',
    `key_id = '${destroyed}'`,
    destroyed,
    () => [
      api('POST /v1/keys/:key_id/wrap', { key_id: destroyed, dek }),
      api('POST /v1/hash', { key_id: destroyed, value: 'x' }),
      api('GET /v1/keys/:key_id', { key_id: destroyed }),
      api('GET /v1/keys', {}),
      api('POST /v1/keys/:key_id/disable', { key_id: destroyed }),
    ],
  ],
  [
    'subject',
    'subjects',
    `tenant_id = '${tenantId}' and subject_id = '\\x${subject_id}'`,
    subject_id.slice(0, 32),
    () => [
      api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek, subject }),
      api('POST /v1/subjects/show', { subject }),
      api('POST /v1/subjects/erase', { subject }),
    ],
  ],
];

test.each(rows)(
  'a %s that was put back is named, and every call that needs it is refused',
  async (kind, table, where, name, needing) => {
    await attacker.putBack('earlier', table, where);
    expect(await wrong()).toEqual([`${kind}_put_back: ${name}`, 'rows_differ']);
    expect(await wrong(ben.tenantId)).toEqual([]);
    expect(new Set(await Promise.all(needing().map(statusOf)))).toEqual(new Set([503]));
  },
);

test('calls that need a row that was removed are refused', async () => {
  const { sql } = attacker;
  await sql`delete from eaas.key_versions where key_id = ${busy}`;
  expect(await wrong()).toEqual(['rows_differ']);
  expect(await statusOf(api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek }))).toBe(503);
  expect(await statusOf(api('POST /v1/keys/:key_id/unwrap', { key_id: busy, wrapped_key }))).toBe(503);
  await sql`delete from eaas.keys where key_id = ${busy}`;
  expect(await statusOf(api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek }))).toBe(404);
  await sql`delete from eaas.api_keys where api_key_id = ${ann.apiKeyId}`;
  expect(await statusOf(api('GET /v1/keys', {}))).toBe(401);
  await sql`delete from eaas.audit_heads where tenant_id = ${tenantId}`;
  expect(await wrong()).toContain('head_missing');
});

test('a server that remembers a row refuses it soon after a list has found that it was changed', async () => {
  const { api_key, api_key_id } = await api('POST /v1/api-keys', { name: 'app', permissions: ['encrypt'] });
  const replica = world.replica();
  const hash = () => statusOf(apiOf(replica, api_key)('POST /v1/hash', { key_id: busy, value: 'x' }));
  const before = await hash();
  await attacker.sql`update eaas.api_keys set hint = 'zzzz' where api_key_id = ${api_key_id}`;
  expect(await hash()).toBe(before);
  expect(await statusOf(apiOf(replica, ann.token)('GET /v1/api-keys', {}))).toBe(503);
  await expect.poll(hash).toBe(401);
});

test('the service refuses an API key row with a token of the attacker', async () => {
  // Stores the hash of Ben's token in the row of Ann's API key, to give Ben her permissions.
  await attacker.sql`delete from eaas.api_keys where api_key_id = ${ben.apiKeyId}`;
  await attacker.sql`update eaas.api_keys set token_hash = ${createHash('sha256').update(ben.token).digest()}
      where api_key_id = ${ann.apiKeyId}`;
  expect(await statusOf(apiOf(world.replica(), ben.token)('GET /v1/keys', {}))).toBe(401);
});

test('a key does not become exportable if someone changes the type of the column `exportable` to text', async () => {
  const { sql } = attacker;
  await sql`alter table eaas.keys alter column exportable type text`;
  // PostgreSQL refuses prepared statements that are older than a new column type, so the test opens new connections.
  const database = new Database(world.database.connection('server'), 2);
  try {
    const { errors } = await verifyTenant(world.replica(database), tenantId);
    expect(errors.map(({ reason }) => reason)).toContain(`key_changed: ${busy}`);
    const exporting = { key_id: busy, public_key: jwkOfBits(3_072) as never };
    const call = apiOf(world.replica(database), ann.token);
    expect(await statusOf(call('GET /v1/keys/:key_id', { key_id: busy }))).toBe(503);
    expect(await statusOf(call('POST /v1/keys/:key_id/export', exporting))).toBe(503);
  } finally {
    await database.close();
    await sql`alter table eaas.keys alter column exportable type boolean using exportable::boolean`;
  }
});
