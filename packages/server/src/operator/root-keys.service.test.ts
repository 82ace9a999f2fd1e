import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { rootKey } from '@eaas/service';
import { createService } from '../app/service.ts';
import { checkRootKey, rotateRootKey } from './root-keys.ts';

const world = await testWorld();
const attacker = await openAttacker(world);

test('a rotation of the root key skips a tenant with a tampered row', async () => {
  const before = world.replica();
  await settle(before, 'ann');
  const { tenantId } = await settle(before, 'bob');
  await attacker.sql`update eaas.tenants set envelope_only = not envelope_only where tenant_id = ${tenantId}`;
  const [previous] = world.roots;
  const service = createService({ database: before.database, roots: [rootKey(randomBytes(32)), previous] });
  const lines: unknown[] = [];
  service.alarms.log = (fields) => lines.push(fields);
  expect(await rotateRootKey(service, previous, () => {})).toEqual({
    resealed: 1,
    alreadyCurrent: 0,
    failed: [tenantId],
  });
  expect(lines).toEqual([{ table: 'tenants', row_id: tenantId, tenant_id: tenantId }]);
  expect(await checkRootKey(service)).toMatchObject({ tenants: 2, under_previous: 1, unopened: [] });
});

test('a rotation counts only the tenants that it has re-encrypted itself', async () => {
  const other = await testWorld();
  const before = other.replica();
  for (const name of ['ann', 'bob', 'eve']) await settle(before, name);
  const [previous] = other.roots;
  const roots = [rootKey(randomBytes(32)), previous] as const;
  const rotate = () => rotateRootKey(createService({ database: before.database, roots }), previous, () => {});
  const [one, two] = await Promise.all([rotate(), rotate()]);
  expect(one.resealed + two.resealed).toBe(3);
  expect(await rotate()).toEqual({ resealed: 0, alreadyCurrent: 3, failed: [] });
});
