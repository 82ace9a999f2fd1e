import type { Input } from '@eaas/protocol/wire';
import { newIssuer } from '@eaas/test-kit/calls';
import { alternatives } from '@eaas/test-kit/alternatives';
import { openAttacker, unbind } from '@eaas/test-kit/attacker';
import { apiOf, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { afterEach, expect, test } from 'vitest';
import { verifyTenant } from '@eaas/service';

const world = await testWorld('2026-03-01T00:00:00Z');
const attacker = await openAttacker(world);
const { tenantId, token } = await settle(world.replica(), 'ann');
const api = () => apiOf(world.replica(), token);
const { key_id } = await api()('POST /v1/keys', { name: 'people' });
const [revoked, narrowed, unchanged] = await Promise.all([make(), make(), make()]);
await attacker.keep('early');
await api()('DELETE /v1/issuers/:issuer_id', { issuer_id: revoked });
await api()('PATCH /v1/issuers/:issuer_id', {
  issuer_id: narrowed,
  permissions: ['encrypt'],
  expires_at: '2030-01-01T00:00:00Z',
  allowed_origins: ['https://app.example'],
});
await attacker.keep('now');
afterEach(() => attacker.restore('now'));

async function make(): Promise<string> {
  return (await api()('POST /v1/issuers', newIssuer(key_id) as Input<'POST /v1/issuers'>)).issuer_id;
}

const findings = async () => {
  const { errors } = await verifyTenant(world.replica(), tenantId);
  return errors.map(({ reason }) => reason);
};
const shown = (issuer_id: string) => statusOf(api()('GET /v1/issuers/:issuer_id', { issuer_id }));

test('verify has no findings before the database is changed', async () => {
  expect(await findings()).toEqual([]);
  expect(await shown(unchanged)).toBe(200);
});

test('a new one is not made beside one that was changed', async () => {
  await attacker.sql`update eaas.issuers set jwks = '{}' where issuer_id = ${narrowed}`;
  expect(await statusOf(make())).toBe(503);
});

test('a change of one column is found, and the row is refused', async () => {
  await unbind(attacker);
  const columns = await attacker.sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = 'eaas.issuers'::regclass and attnum > 0 and not attisdropped`;
  expect(columns.map(({ name }) => name)).toContain('any_subject');
  for (const { name, type } of columns) {
    const [row] = await attacker.sql.unsafe<{ value: string | null }[]>(
      `select ${name}::text as value from eaas.issuers where issuer_id = '${narrowed}'`,
    );
    const current = row?.value ?? null;
    for (const value of alternatives(name, type, current).filter((one) => one !== current)) {
      const where = `issuer_id = '${narrowed}'`;
      await attacker.sql.unsafe(`update eaas.issuers set ${name} = $1::text::${type} where ${where}`, [
        value,
      ]);
      const [change, reasons] = [`${name}: ${value}`, (await findings()).join()];
      expect({ change, reasons }).toMatchObject({
        reasons: expect.stringMatching(/issuer_changed|rows_differ/),
      });
      const isElsewhere = name === 'issuer_id' || name === 'tenant_id';
      expect({ change, status: await shown(narrowed) }).toEqual({ change, status: isElsewhere ? 404 : 503 });
      await attacker.restore('now');
    }
  }
});

test.each([
  ['a revoked one', revoked],
  ['one with more rights', narrowed],
])('%s that was put back is found, and refused', async (_, id) => {
  await attacker.putBack('early', 'issuers', `issuer_id = '${id}'`);
  expect(await findings()).toContain(`issuer_put_back: ${id}`);
  expect(await shown(id)).toBe(503);
});

test('one that was removed is found', async () => {
  await attacker.sql`delete from eaas.issuers where issuer_id = ${unchanged}`;
  expect(await findings()).toEqual(['rows_differ']);
});

test('one that was inserted is found', async () => {
  await attacker.sql.unsafe(`
    create temporary table copy as table eaas.issuers;
    update copy set issuer_id = '7d3a5b0e-9d7f-4f0e-8f0a-2b1c3d4e5f60';
    insert into eaas.issuers select * from copy limit 1;
    drop table copy`);
  expect(await findings()).toContain('issuer_changed: 7d3a5b0e-9d7f-4f0e-8f0a-2b1c3d4e5f60');
});
