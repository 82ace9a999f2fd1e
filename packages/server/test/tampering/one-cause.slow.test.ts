import { beforeEach, describe, expect, test } from 'vitest';
import { updateTenant } from '../../src/operator/tenants.ts';
import { verifyTenant } from '@eaas/service';
import { apiOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker, type Table } from '@eaas/test-kit/attacker';
import { populate } from '@eaas/test-kit/populated';

const world = await testWorld('2019-03-01T00:00:00Z');
const attacker = await openAttacker(world);
const [ann] = await populate(world, attacker);

async function wrong(range: { from_id?: number } = {}): Promise<string[]> {
  const { valid, errors, error_count } = await verifyTenant(world.replica(), ann.tenantId, range);
  const found = errors.map(({ id, reason }) => `${id} ${reason}`);
  expect(error_count).toBe(found.length);
  return valid === (found.length === 0) ? found : [`valid is ${valid}`, ...found];
}

async function change(id: number, assignment: string): Promise<number> {
  const [column, value] = assignment.split(' = ');
  const { count } = await attacker.sql.unsafe(
    `update eaas.audit_entries set ${assignment}
     where tenant_id = '${ann.tenantId}' and id = ${id} and ${column}::text is distinct from ${value}`,
  );
  return count;
}

async function putBack(table: Table, column: string, id: string): Promise<void> {
  await attacker.putBack('middle', table, `${column} = '${id}'`);
  await attacker.putBack('middle', 'row_records', `row_id = '${id}'`);
}

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe.each([
  ['a whole chain', 'late', 1],
  ['a purged chain', 'now', 15],
] as const)('%s', (_, copy, first) => {
  beforeEach(() => attacker.restore(copy));

  test.each([
    `actor = 'nobody'`,
    `action = 'encrypt'`,
    `action = 'tenant.update'`,
    `action = 'key.create'`,
    `action = 'api_key.update'`,
    `metadata = '{}'`,
    `metadata = '{"previous_change":1}'`,
    `metadata = '{"previous_change":30}'`,
  ])('verify has exactly one finding if any one entry was changed: %s', async (assignment) => {
    const found: string[] = [];
    const expected: string[] = [];
    for (const id of ids(first, 31)) {
      if ((await change(id, assignment)) > 0) {
        expected.push(`${id} entry_changed`);
        found.push(...(await wrong()));
      }
      await attacker.restore(copy);
    }
    expect(found).toEqual(expected);
    expect(found).not.toEqual([]);
  });

  test('verify has exactly one finding after one entry was moved to another key', async () => {
    for (const id of ids(first, 31)) {
      const count = await change(id, `key_id = '${ann.quiet}'`);
      expect(await wrong()).toEqual(count > 0 ? [`${id} entry_changed`] : []);
      await attacker.restore(copy);
    }
  });

  test('verify reports both a tenant that was put back to an older state and a changed entry of the tenant', async () => {
    const { tenantId } = ann;
    await putBack('tenants', 'tenant_id', tenantId);
    await change(22, `actor = 'nobody'`);
    expect(await wrong()).toEqual(['22 entry_changed', 'null rows_differ']);
    await updateTenant(world.replica(), tenantId, { envelope_only: true });
    expect(await wrong()).toEqual(['22 entry_changed', 'null rows_differ']);
  });

  test('verify reports a key that was put back to an older state even if an entry of another key was changed', async () => {
    const { pending } = ann;
    await putBack('keys', 'key_id', pending);
    await change(18, `key_id = '${ann.quiet}'`);
    expect(await wrong()).toEqual(['18 entry_changed', 'null rows_differ']);
  });

  test('verify judges the entries of a range, and all rows', async () => {
    await change(22, `action = 'encrypt'`);
    expect(await wrong({ from_id: 22 })).toEqual(['22 entry_changed']);
    expect(await wrong({ from_id: 23 })).toEqual([]);
    await putBack('tenants', 'tenant_id', ann.tenantId);
    expect(await wrong({ from_id: 23 })).toEqual(['null rows_differ']);
  });
});

test('after a purge, verify finds both a removed key and a changed entry about the tenant', async () => {
  await attacker.restore('now');
  await attacker.sql`delete from eaas.keys where key_id = ${ann.quiet}`;
  await change(22, `metadata = '{}'`);
  expect(await wrong()).toEqual(['22 entry_changed', 'null rows_differ']);
});

test('after a purge, verify finds a key that was put back to an older state and then disabled', async () => {
  await attacker.restore('now');
  await attacker.putBack('early', 'keys', `key_id = '${ann.quiet}'`);
  await attacker.sql`update eaas.row_records set rev = (select rev from eaas.keys where key_id = ${ann.quiet})
    where row_id = ${ann.quiet}`;
  await apiOf(world.replica(), ann.token)('POST /v1/keys/:key_id/disable', { key_id: ann.quiet });
  await change(22, `action = 'encrypt'`);
  expect(await wrong()).toEqual(['22 entry_changed', 'null rows_differ']);
});
