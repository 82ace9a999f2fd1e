import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootKey } from '../../packages/server/src/crypto/key-hierarchy.ts';
import { ROLES } from '../../packages/dev/src/cluster.ts';
import { createTenant, requireTenant } from '../../packages/server/src/operations/tenants.ts';
import { createService, type Service } from '../../packages/server/src/app/service.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { migrate } from '../../packages/server/src/store/migrate.ts';
import { openPool } from '../../packages/server/src/store/sql.ts';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import { apiOf, dek, statusOf } from '../setup/world.ts';
import { before } from './before-tenant-first.ts';

// The tests start from a dump that the last version before the third migration wrote.

let place: TestDatabase;
let database: Database;
let macs: { readonly before: unknown[]; readonly after: unknown[] };

const replica = (): Service =>
  createService({ database, roots: [rootKey(Buffer.from(before.rootKey, 'base64'))] });
const anns = (service = replica()) => apiOf(service, before.ann.token);

beforeAll(async () => {
  place = await createDatabase();
  const owner = openPool(place.connection('owner'), 1);
  await owner.unsafe(await readFile(new URL('before-tenant-first.sql', import.meta.url), 'utf8'));
  const readMacs = () => owner`select key_id, mac from eaas.keys order by key_id`;
  const macsBefore = [...(await readMacs())];
  await migrate(owner, ROLES.server);
  macs = { before: macsBefore, after: [...(await readMacs())] };
  await owner.end();
  database = new Database(place.connection('server'), 6);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

test('after the upgrade every log is valid and extends its earlier checkpoint', async () => {
  const { checkpoint } = before;
  expect(await anns()('GET /v1/audit/verify', { checkpoint })).toMatchObject({ valid: true, errors: [] });
  const bens = apiOf(replica(), before.ben.token);
  expect(await bens('GET /v1/audit/verify', {})).toMatchObject({ valid: true, errors: [] });
});

test('after the upgrade, the MACs of all rows are valid, and verify detects a changed column `intake`', async () => {
  expect(macs.before).toHaveLength(8);
  expect(macs.after).toEqual(macs.before);
  const { busy: key_id } = before.ann;
  const owner = openPool(place.connection('owner'), 1);
  const set = (intake: boolean) => owner`update eaas.keys set intake = ${intake} where key_id = ${key_id}`;
  await set(true);
  expect(await anns()('GET /v1/audit/verify', {})).toMatchObject({ valid: false });
  await set(false);
  await owner.end();
  expect(await anns()('GET /v1/audit/verify', {})).toMatchObject({ valid: true, errors: [] });
});

test('older wrapped keys, ciphertexts and hashes stay valid after the upgrade', async () => {
  const { busy: key_id, wrapped: wrapped_key } = before.ann;
  expect(await anns()('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key })).toMatchObject({ dek });
  expect(await anns()('POST /v1/decrypt', before.bundle)).toEqual({ plaintext: 'kept' });
  expect(await anns()('POST /v1/hash', { key_id, value: 'x' })).toMatchObject({ hash: before.hash });
});

test('a revoked API key is still revoked after the upgrade', async () => {
  expect(await statusOf(apiOf(replica(), before.ann.revoked.token)('GET /v1/keys', {}))).toBe(401);
  expect(await statusOf(createTenant(replica(), { name: 'ann' }))).toBe(409);
  expect(await requireTenant(replica(), 'ben')).toMatchObject({ tenant: { tenant_id: before.ben.tenantId } });
});

test('after the upgrade, `row_records` has the `rev` of each tenant, key and API key', async () => {
  const rows = await database.run(
    (sql) => sql`
      select subject, r.rev, k.rev as expected from eaas.row_records r join (
        select tenant_id, tenant_id as subject, rev from eaas.tenants
        union all select tenant_id, key_id, rev from eaas.keys
        union all select tenant_id, api_key_id, rev from eaas.api_keys) k using (tenant_id, subject)`,
  );
  expect(rows).toHaveLength(2 * (1 + 4 + 4));
  for (const { rev, expected } of rows) expect(rev).toBe(expected);
});

test('the log stays valid while two replicas continue it after the upgrade', async () => {
  const [one, other] = [replica(), replica()];
  const { busy: key_id } = before.ann;
  await anns(one)('POST /v1/keys/:key_id/wrap', { key_id, dek });
  await anns(other)('POST /v1/keys/:key_id/rotate', { key_id });
  const { api_key } = await anns(one)('POST /v1/api-keys', { name: 'later', permissions: ['encrypt'] });
  const later = apiOf(other, api_key);
  expect(await later('POST /v1/keys/:key_id/wrap', { key_id, dek })).toMatchObject({ key_version: 4 });
  const { checkpoint } = before;
  expect(await anns(one)('GET /v1/audit/verify', { checkpoint })).toMatchObject({ valid: true, errors: [] });
});
