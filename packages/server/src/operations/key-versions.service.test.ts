import { expect, test } from 'vitest';
import { publicJwk } from '@eaas/test-kit/rsa';
import { alone } from '@eaas/test-kit/alone';
import { type Api, apiOf, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { newMaterial, versionPlace } from '../crypto/key-hierarchy.ts';
import { settleDueKeys } from '../jobs/housekeeping.ts';
import { seal } from '../state/integrity.ts';
import { findKey, keyTable } from '../store/keys.ts';

const start = Date.parse('2026-09-01T00:00:00Z');
const most = 10_000;

const world = await testWorld();
const attacker = await openAttacker(world);
const { tenantId, token } = await settle(world.replica(), 'ann');
const api: Api = (route, input) => apiOf(world.replica(), token)(route, input);
const policy = { exportable: true, rotation_policy: { interval_days: 30 } };
const { key_id } = await api('POST /v1/keys', { name: 'key', ...policy });
await addVersions(tenantId);

async function addVersions(tenantId: string): Promise<void> {
  const service = world.replica();
  const secrets = (await service.tenants.view(tenantId))?.state.secrets;
  const row = await service.database.run((sql) => findKey(sql, tenantId, key_id));
  if (!secrets || !row) throw new Error('expected a tenant with a key');
  const versions = Array.from({ length: most - 1 }, (_, nth) => ({
    tenant_id: tenantId,
    key_id,
    key_version: nth + 2,
    created_at: start,
    sealed: newMaterial(secrets.sealing, versionPlace(tenantId, key_id, nth + 2)),
  }));
  const { mac } = seal(secrets, keyTable, { ...row, key_version: most });
  await attacker.sql`insert into eaas.key_versions ${attacker.sql(versions)}`;
  await attacker.sql`update eaas.keys set key_version = ${most}, mac = ${mac} where key_id = ${key_id}`;
}

test('the versions of a key with 10,000 versions are shown in pages, newest first', async () => {
  const { versions, ...page } = await api('GET /v1/keys/:key_id', { key_id, limit: 1_000, offset: 8_500 });
  expect(page).toMatchObject({ key_version: most, versions_total: most, limit: 1_000, offset: 8_500 });
  const numbers = versions.map((version) => version.key_version);
  expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, nth) => 1_500 - nth));
});

test('a key with 10,000 versions cannot be rotated', async () => {
  expect(await statusOf(api('POST /v1/keys/:key_id/rotate', { key_id }))).toBe(409);
  const service = world.replica();
  const lines: unknown[] = [];
  service.alarms.log = (fields) => lines.push(fields);
  world.time = start + 31 * 24 * 60 * 60 * 1_000;
  await settleDueKeys(service, alone());
  await settleDueKeys(service, alone());
  world.time = start;
  expect(lines).toMatchObject([{ key_id }]);
  expect(service.alarms.rotationsSkipped).toBe(2);
  expect(await api('GET /v1/keys/:key_id', { key_id })).toMatchObject({ key_version: most });
});

test('a key with 10,000 versions is exported in pages of 1,000', async () => {
  const { kty, n, e } = publicJwk() as { kty: string; n: string; e: string };
  const exportFrom = (from_version: number) =>
    api('POST /v1/keys/:key_id/export', { key_id, public_key: { kty, n, e }, from_version });
  const page = await exportFrom(8_500);
  const numbers = page.versions.map((version) => version.key_version);
  expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, nth) => 8_500 + nth));
  expect(page.next_version).toBe(9_500);
  const rest = await exportFrom(9_500);
  expect(rest.versions.at(-1)?.key_version).toBe(most);
  expect(rest).toMatchObject({ next_version: null, hash_key: expect.any(String) });
  expect(await api('GET /v1/audit', { action: 'key.export' })).toMatchObject({ total: 2 });
});
