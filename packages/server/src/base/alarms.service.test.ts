import { expect, test } from 'vitest';
import { apiOf, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';

const world = await testWorld();
const attacker = await openAttacker(world);

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
