// What decides before Citus distributes a table, on PostgreSQL alone. Citus itself is in test/citus.slow.test.ts.
import { settle, testWorld } from '@eaas/test-kit/world';
import { closing } from '@eaas/test-kit/closing';
import { expect, test } from 'vitest';
import { requireNoRows } from './citus.ts';
import { openPool } from './sql.ts';

const world = await testWorld();
const owner = await closing(openPool(world.database.connection('owner'), 1), (it) => it.end());

test('a table that a later step makes can be distributed where there are tenants, and one with rows cannot', async () => {
  await settle(world.replica(), 'ann');
  await owner`create table eaas.made_up (tenant_id uuid not null, fact text)`;

  await expect(requireNoRows(owner, ['made_up', 'audit_anchors'])).resolves.toBeUndefined();
  await expect(requireNoRows(owner, ['made_up', 'tenants'])).rejects.toThrow('eaas.tenants has some');

  await owner`insert into eaas.made_up values (${crypto.randomUUID()}, 'a fact')`;
  await expect(requireNoRows(owner, ['made_up'])).rejects.toThrow('eaas.made_up has some');
  await owner`drop table eaas.made_up`;
});
