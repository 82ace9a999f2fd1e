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
  // Nothing is appended any more: an append needs the constraints.
  beforeAll(() => unbind(attacker));
  beforeEach(() => attacker.restore(copy));

  const [mine, theirs] = [ann.tenantId, ben.tenantId].map((id) => `tenant_id = '${id}'`);
  const remove = (condition: string) => `delete from eaas.audit_entries where ${mine} and ${condition}`;
  const set = (assignment: string, condition: string) =>
    `update eaas.audit_entries set ${assignment} where ${mine} and ${condition}`;
  const moveHead = (assignment: string) => `update eaas.audit_heads set ${assignment} where ${mine}`;
  const insert = (changes: object, from = `${mine} and id = 20`) =>
    `insert into eaas.audit_entries select (jsonb_populate_record(e, '${JSON.stringify(changes)}')).*
     from eaas.audit_entries e where ${from}`;
  const twice = (table: string, schema = 'eaas') =>
    `insert into eaas.${table} select * from ${schema}.${table} where ${mine}`;

  interface Attack {
    readonly run: readonly string[];
    readonly found: readonly string[];
    /** What is found in the other tenant's log. */
    readonly theirs?: string;
  }
  const attacks: Readonly<Record<string, Attack>> = {
    'the end was removed': {
      run: [remove('id > 28')],
      found: ['31 head_mismatch', '29 entry_missing', '30 entry_missing', '31 entry_missing'],
    },
    'all entries were removed': { run: [remove('true')], found: [`${first} entry_missing`] },
    'an entry was inserted, and what follows was renumbered': {
      run: [
        set('id = id + 1', 'id > 24'),
        insert({ id: 25 }, `${mine} and id = 24`),
        moveHead('id = id + 1'),
      ],
      found: ['null head_changed', '25 entry_changed'],
    },
    'a copy was inserted after the head': { run: [insert({ id: 32 })], found: ['32 entry_unexpected'] },
    'a copy was inserted below zero': { run: [insert({ id: -5 })], found: ['null entry_unexpected'] },
    'a copy was inserted before the first entry': {
      run: [insert({ id: first - 1 })],
      found: [`${first - 1} entry_unexpected`],
    },
    'the head was moved far ahead, to a copy': {
      run: [insert({ id: 2 ** 53 - 2 }), moveHead('id = 9007199254740000')],
      found: ['32 entry_missing'],
    },
    'an entry is there twice': {
      run: [`insert into eaas.audit_entries select * from eaas.audit_entries where ${mine} and id = 24`],
      found: ['24 entry_changed'],
    },
    'the order was reversed': {
      run: [set(`id = ${first + 31} - id`, 'true')],
      found: [`${first} entry_changed`, '31 entry_changed'],
    },
    "an entry was replaced by another tenant's": {
      run: [remove('id = 24'), insert({ tenant_id: ann.tenantId }, `${theirs} and id = 24`)],
      found: ['24 entry_changed'],
    },
    'an entry was moved to another tenant': {
      run: [set(`id = 32, ${theirs}`, 'id = 31')],
      found: ['31 entry_missing'],
      theirs: '32 entry_unexpected',
    },
    'the head was replaced by an older one': {
      run: [`delete from eaas.audit_heads where ${mine}`, twice('audit_heads', 'middle')],
      found: ['15 entry_unexpected'],
    },
    "the head was replaced by another tenant's": {
      run: [`delete from eaas.audit_heads where ${mine}`, `update eaas.audit_heads set ${mine}`],
      found: ['null head_changed'],
      theirs: 'null head_missing',
    },
    'there is a second row of the tenant': { run: [twice('tenants', 'middle')], found: ['null rows_differ'] },
    'there is a second head': { run: [twice('audit_heads', 'middle')], found: ['null rows_differ'] },
    ...Object.fromEntries(
      ['keys', 'api_keys', 'key_versions'].map((table) => [
        `each row of ${table} is there twice`,
        { run: [twice(table)], found: ['null rows_differ'] },
      ]),
    ),
    ...(copy === 'now' && {
      'the record of the purge was removed': {
        run: [`delete from eaas.audit_anchors where ${mine}`],
        found: ['1 entry_missing', '14 entry_missing'],
      },
      'the record of the purge was copied from another tenant': {
        run: [`delete from eaas.audit_anchors where ${mine}`, `update eaas.audit_anchors set ${mine}`],
        found: ['14 purge_anchor_changed'],
        theirs: '1 entry_missing',
      },
    }),
  };

  test('an unchanged log is valid for both tenants', async () => {
    expect(await wrong()).toEqual([]);
    expect(await wrong(ben.tenantId)).toEqual([]);
  });

  test.each(Object.entries(attacks))('verify finds that %s', async (_name, attack) => {
    for (const statement of attack.run) await attacker.sql.unsafe(statement);
    expect(await wrong()).toEqual(expect.arrayContaining([...attack.found]));
    const others = await wrong(ben.tenantId);
    const expected = attack.theirs === undefined ? [] : [attack.theirs];
    expect(others.slice(0, expected.length || others.length)).toEqual(expected);
  });

  test('verify finds a changed entry even if all later hashes were recomputed', async () => {
    await attacker.sql.unsafe(set(`actor = 'operator'`, 'id = 24'));
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
});
