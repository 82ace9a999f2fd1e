import { entryPreimage, type StoredEntry } from '@eaas/protocol/audit';
import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTenant } from '../../src/operator/tenants.ts';
import { verifyTenant } from '@eaas/service';
import { openAttacker, unbind } from '@eaas/test-kit/attacker';
import { populate } from '@eaas/test-kit/populated';
import { type Api, apiOf, dek, testWorld } from '@eaas/test-kit/world';

const world = await testWorld('2019-03-01T00:00:00Z');
const attacker = await openAttacker(world);
const [ann, ben] = await populate(world, attacker);

const api: Api = (route, input) => apiOf(world.replica(), ann.token)(route, input);

async function wrong(tenantId = ann.tenantId): Promise<string[]> {
  const { valid, errors, error_count } = await verifyTenant(world.replica(), tenantId);
  const found = errors.map(({ id, reason }) => `${id} ${reason}`);
  return valid === (error_count === 0) ? found : [`valid is ${valid}`, ...found];
}

test.each([0, -1, 1])('verify finds that entry %i was inserted into an empty chain', async (id) => {
  await attacker.restore('now');
  const { tenant_id } = await createTenant(world.replica(), { name: 'empty' });
  await attacker.sql.unsafe(`insert into eaas.audit_entries select (jsonb_populate_record(e,
    '{"id":${id},"tenant_id":"${tenant_id}"}')).* from eaas.audit_entries e where tenant_id = '${ann.tenantId}' and id = 20`);
  expect(await wrong(tenant_id)).toContain(id < 0 ? 'null entry_unexpected' : `${id} entry_unexpected`);
});

describe('a database rolled back to an authentic older state', () => {
  beforeEach(() => attacker.restore('now'));

  const wrap = () => api('POST /v1/keys/:key_id/wrap', { key_id: ann.busy, dek });
  const verify = (checkpoint?: string) => api('GET /v1/audit/verify', { ...(checkpoint && { checkpoint }) });

  test('verify needs an external checkpoint to find that the whole database was restored to an older state', async () => {
    await wrap();
    const { checkpoint: before, id } = await api('GET /v1/audit/checkpoint', {});
    await attacker.keep('before_tail');
    await wrap();
    await wrap();
    const { checkpoint: after } = await api('GET /v1/audit/checkpoint', {});
    expect(await verify(after)).toMatchObject({ valid: true, checkpoint: { id: id + 2, valid: true } });

    await attacker.putBack('before_tail', 'audit_heads', `tenant_id = '${ann.tenantId}'`);
    await attacker.sql`delete from eaas.audit_entries where tenant_id = ${ann.tenantId} and id > ${id}`;
    expect(await verify()).toMatchObject({ valid: true, head: { id } });
    expect(await verify(before)).toMatchObject({ valid: true });
    const ahead = { id: id + 2, reason: 'checkpoint_ahead' };
    expect(await verify(after)).toMatchObject({
      valid: false,
      errors: [ahead],
      checkpoint: { valid: false },
    });

    world.time += 1_000;
    for (let nth = 0; nth < 3; nth++) await wrap();
    expect(await verify()).toMatchObject({ valid: true });
    expect(await verify(before)).toMatchObject({ valid: true });
    const mismatch = { id: id + 2, reason: 'checkpoint_mismatch' };
    expect(await verify(after)).toMatchObject({
      valid: false,
      errors: [mismatch],
      checkpoint: { valid: false },
    });
  });

  test('verify finds that the log was restored to a state before the last change of a key, even without a checkpoint', async () => {
    await api('POST /v1/keys/:key_id/disable', { key_id: ann.quiet });
    await attacker.putBack('now', 'audit_heads', `tenant_id = '${ann.tenantId}'`);
    await attacker.putBack('now', 'audit_entries', `tenant_id = '${ann.tenantId}'`);
    expect(await wrong()).toEqual(['null rows_differ']);
  });
});

// The purge deletes the entries 1 to 14.
describe.each([
  ['a whole chain', 'late', 1],
  ['a purged chain', 'now', 15],
] as const)('%s', (_, copy, first) => {
  const last = 31;

  // Nothing is appended any more: an append needs the constraints.
  beforeAll(() => unbind(attacker));
  beforeEach(() => attacker.restore(copy));

  const entries = (statement: string) =>
    attacker.sql.unsafe(statement.replaceAll('$ann', `'${ann.tenantId}'`));
  const remove = (condition: string) =>
    entries(`delete from eaas.audit_entries where tenant_id = $ann and ${condition}`);

  test('an unchanged log is valid for both tenants', async () => {
    expect(await wrong()).toEqual([]);
    expect(await wrong(ben.tenantId)).toEqual([]);
  });

  test.each([
    ['the first entry', `id = ${first}`, [`${first} entry_missing`]],
    ['one entry in the middle', 'id = 24', ['24 entry_missing']],
    ['two consecutive entries', 'id in (24, 25)', ['24 entry_missing', '25 entry_missing']],
    ['the last entry', `id = ${last}`, ['31 head_mismatch', '31 entry_missing']],
    [
      'the end of the log',
      'id > 28',
      ['31 head_mismatch', '29 entry_missing', '30 entry_missing', '31 entry_missing'],
    ],
  ])('verify finds that %s was removed', async (_name, condition, found) => {
    await remove(condition);
    expect(await wrong()).toEqual(expect.arrayContaining(found));
    expect(await wrong(ben.tenantId)).toEqual([]);
  });

  test('verify finds that all entries were removed', async () => {
    await remove('true');
    const { valid, error_count, errors } = await verifyTenant(world.replica(), ann.tenantId);
    expect(valid).toBe(false);
    expect(errors).toContainEqual({ id: first, reason: 'entry_missing' });
    expect(error_count).toBeGreaterThan(last - first);
  });

  test('verify finds that an entry was removed, even if later entries and the head were renumbered', async () => {
    await remove('id = 24');
    await entries('update eaas.audit_entries set id = id - 1 where tenant_id = $ann and id > 24');
    await entries('update eaas.audit_heads set id = id - 1 where tenant_id = $ann');
    expect(await wrong()).toEqual(expect.arrayContaining(['null head_changed', '24 entry_changed']));
  });

  test('verify finds that an entry was inserted, even if later entries and the head were renumbered', async () => {
    await entries('update eaas.audit_entries set id = id + 1 where tenant_id = $ann and id > 24');
    await entries(`insert into eaas.audit_entries select (jsonb_populate_record(e, '{"id":25}')).*
      from eaas.audit_entries e where tenant_id = $ann and id = 24`);
    await entries('update eaas.audit_heads set id = id + 1 where tenant_id = $ann');
    expect(await wrong()).toEqual(expect.arrayContaining(['null head_changed', '25 entry_changed']));
  });

  test.each([
    ['after the head', 32],
    ['far after the head', 9_007_199_254_740_993n],
    ['with the id 0', 0],
    ['below zero', -5],
    ['before the first entry', first - 1],
  ])('verify finds a copy of an entry that was inserted %s', async (_name, id) => {
    await entries(`insert into eaas.audit_entries select (jsonb_populate_record(e, '{"id":${id}}')).*
      from eaas.audit_entries e where tenant_id = $ann and id = 20`);
    expect(await wrong()).toContainEqual(expect.stringMatching(/entry_unexpected$/));
  });

  test('an entry that was inserted far after the head does not slow the verification down', async () => {
    await entries(`insert into eaas.audit_entries
      select (jsonb_populate_record(e, '{"id":9007199254740993,"action":"key.disable"}')).*
      from eaas.audit_entries e where tenant_id = $ann and id = 20`);
    await entries('update eaas.audit_heads set id = 9007199254740000 where tenant_id = $ann');
    const found = await wrong();
    expect(found).toContain('32 entry_missing');
  });

  test.each([first, 24, last])('verify finds that entry %i was duplicated', async (id) => {
    await entries(
      `insert into eaas.audit_entries select * from eaas.audit_entries where tenant_id = $ann and id = ${id}`,
    );
    expect(await wrong()).toContain(`${id} entry_changed`);
  });

  test('verify finds that two entries were swapped', async () => {
    await entries(`update eaas.audit_entries set id = 49 - id where tenant_id = $ann and id in (24, 25)`);
    expect(await wrong()).toEqual(expect.arrayContaining(['24 entry_changed', '25 entry_changed']));
  });

  test('verify finds that the order of all entries was reversed', async () => {
    await entries(`update eaas.audit_entries set id = ${first + last} - id where tenant_id = $ann`);
    expect(await wrong()).toEqual(expect.arrayContaining([`${first} entry_changed`, '31 entry_changed']));
  });

  test("verify finds that an entry was replaced by another tenant's entry", async () => {
    await remove('id = 24');
    await entries(`insert into eaas.audit_entries select (jsonb_populate_record(e,
      jsonb_build_object('tenant_id', $ann))).* from eaas.audit_entries e where tenant_id = '${ben.tenantId}' and id = 24`);
    expect(await wrong()).toContain('24 entry_changed');
    expect(await wrong(ben.tenantId)).toEqual([]);
  });

  test('verify finds that an entry was moved to another tenant', async () => {
    await entries(
      `update eaas.audit_entries set tenant_id = '${ben.tenantId}', id = 32 where tenant_id = $ann and id = 31`,
    );
    expect(await wrong()).toContain('31 entry_missing');
    expect(await wrong(ben.tenantId)).toEqual(['32 entry_unexpected']);
  });

  test('verify finds a changed entry even if all later hashes were recomputed', async () => {
    await entries(`update eaas.audit_entries set actor = 'operator' where tenant_id = $ann and id = 24`);
    const rows = await attacker.sql<(StoredEntry & { hash: Uint8Array; time: string })[]>`
      select tenant_id, id::int, action, key_id, key_version::int, actor, ip_address, metadata, created_at::text as time, hash
      from eaas.audit_entries where tenant_id = ${ann.tenantId} and id >= 23 order by id`;
    let hash = rows[0]?.hash ?? new Uint8Array();
    for (const row of rows.slice(1)) {
      const preimage = entryPreimage(hash, { ...row, created_at: Number(row.time) });
      hash = createHash('sha256').update(preimage).digest();
      await attacker.sql`update eaas.audit_entries set hash = ${hash} where tenant_id = ${ann.tenantId} and id = ${row.id}`;
    }
    await attacker.sql`update eaas.audit_heads set hash = ${hash} where tenant_id = ${ann.tenantId}`;
    // The attacker has recomputed all hashes, but cannot compute the MACs without the secret key.
    const ids = Array.from({ length: 8 }, (_unused, nth) => 24 + nth);
    expect(await wrong()).toEqual(['null head_changed', ...ids.map((id) => `${id} entry_mac_invalid`)]);
  });

  test('verify finds that the head of the log was replaced by an older head with a valid MAC', async () => {
    await attacker.putBack('middle', 'audit_heads', `tenant_id = '${ann.tenantId}'`);
    expect(await wrong()).toContain('15 entry_unexpected');
  });

  test('verify finds that the log head was replaced by the head of another tenant', async () => {
    await entries(`delete from eaas.audit_heads where tenant_id = $ann`);
    await entries(`update eaas.audit_heads set tenant_id = $ann`);
    expect(await wrong()).toContain('null head_changed');
    expect(await wrong(ben.tenantId)).toContain('null head_missing');
  });

  test.each(['tenants', 'audit_heads'])(
    'verify finds an inserted second row in the table %s',
    async (table) => {
      await entries(`insert into eaas.${table} select * from middle.${table} where tenant_id = $ann`);
      expect(await wrong()).toContain('null rows_differ');
    },
  );

  test.each(['keys', 'api_keys', 'key_versions'])(
    'verify finds a second copy of each row of the table %s',
    async (table) => {
      await entries(`insert into eaas.${table} select * from eaas.${table} where tenant_id = $ann`);
      expect(await wrong()).toEqual(['null rows_differ']);
    },
  );

  test('verify finds a forged record of a purge', async () => {
    await entries(`delete from eaas.audit_anchors where tenant_id = $ann`);
    await entries(`insert into eaas.audit_anchors select tenant_id, id, hash, mac from eaas.audit_entries
      where tenant_id = $ann and id = 20`);
    await remove('id <= 20');
    expect(await wrong()).toContain('20 purge_anchor_changed');
  });

  test('verify finds a record of a purge that was copied from another tenant', async () => {
    await attacker.restore('now');
    await entries(`delete from eaas.audit_anchors where tenant_id = $ann`);
    await entries(`update eaas.audit_anchors set tenant_id = $ann`);
    expect(await wrong()).toContain('14 purge_anchor_changed');
    expect(await wrong(ben.tenantId)).toContain('1 entry_missing');
  });
});

describe('after a purge', () => {
  beforeEach(() => attacker.restore('now'));

  test('verify finds that the record of a purge was removed', async () => {
    await attacker.sql`delete from eaas.audit_anchors where tenant_id = ${ann.tenantId}`;
    expect(await wrong()).toEqual(expect.arrayContaining(['1 entry_missing', '14 entry_missing']));
  });

  test.each([13, 15])('verify finds a purge record that an attacker moved to the entry %i', async (id) => {
    await attacker.sql`update eaas.audit_anchors set id = ${id} where tenant_id = ${ann.tenantId}`;
    expect(await wrong()).toContain(`${id} purge_anchor_changed`);
  });

  test('verify finds purged entries that were restored', async () => {
    await attacker.putBack('late', 'audit_entries', `tenant_id = '${ann.tenantId}' and id <= 14`);
    expect(await wrong()).toContain('1 entry_unexpected');
  });
});
