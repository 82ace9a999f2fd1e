import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf, openWorld, settle, statusOf, type World } from '@eaas/test-kit/world';
import { type Attacker, openAttacker } from '@eaas/test-kit/attacker';

let world: World;
let attacker: Attacker;

beforeAll(async () => {
  world = await openWorld('2026-09-01T00:00:00Z');
  attacker = await openAttacker(world);
});
afterAll(() => world.close());

test('a changed row of an API key raises an alarm that names the row', async () => {
  const { tenantId, apiKeyId, token } = await settle(world.replica(), 'ann');
  await attacker.sql`update eaas.api_keys set permissions = '{decrypt}' where api_key_id = ${apiKeyId}`;
  const service = world.replica();
  const lines: unknown[] = [];
  service.alarms.log = (fields) => lines.push(fields);
  expect(await statusOf(apiOf(service, token)('GET /v1/keys', {}))).toBe(401);
  expect(service.alarms.tamperingFound).toBe(1);
  expect(lines).toEqual([{ table: 'api_keys', row_id: apiKeyId, tenant_id: tenantId }]);
});
