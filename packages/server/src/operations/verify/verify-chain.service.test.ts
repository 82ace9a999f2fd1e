import { entryHash, genesisHash } from '@eaas/protocol/audit';
import type { Output } from '@eaas/protocol/wire';
import { beforeEach, describe, expect, test } from 'vitest';
import { apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { createTenant } from '../tenants.ts';
import { verifyChain } from './verify-chain.ts';

const world = await testWorld();
const attacker = await openAttacker(world);
const service = world.replica();
const resident = await settle(service, 'small');
const api = apiOf(service, resident.token);
const { key_id } = await api('POST /v1/keys', { name: 'key' });
for (let nth = 0; nth < 10; nth++) {
  world.time += 1_000;
  await api('POST /v1/keys/:key_id/wrap', { key_id, dek, context: { nth: String(nth) } });
}
const small = { ...resident, api, key_id };
await attacker.keep('fresh');
beforeEach(() => attacker.restore('fresh'));

const verify = (query: { from_id?: number; to_id?: number; row?: string; checkpoint?: string } = {}) =>
  small.api('GET /v1/audit/verify', query);

const spoil = (condition: string) =>
  attacker.sql.unsafe(
    `update eaas.audit_entries set actor = 'nobody' where tenant_id = '${small.tenantId}' and ${condition}`,
  );

test('the head of an empty chain is the genesis hash', async () => {
  const { tenant_id } = await createTenant(world.replica(), { name: 'empty' });
  expect(await verifyChain(world.replica(), tenant_id)).toEqual({
    valid: true,
    complete: true,
    next_id: null,
    next_row: null,
    checked: 0,
    first_id: null,
    last_id: null,
    purged_through: null,
    head: { id: 0, hash: Buffer.from(genesisHash(tenant_id)).toString('hex') },
    errors: [],
    error_count: 0,
    checkpoint: null,
    verified_at: new Date(world.time).toISOString(),
  });
});

test('the verification of an unknown tenant is refused with not_found', async () => {
  const nobody = verifyChain(world.replica(), '7d3a5b0e-9d7f-4f0e-8f0a-2b1c3d4e5f60');
  expect(await statusOf(nobody)).toBe(404);
});

describe('the verification of a range', () => {
  test.each([
    [{}, 1, 12, 12],
    [{ from_id: 1, to_id: 12 }, 1, 12, 12],
    [{ from_id: 5 }, 5, 12, 8],
    [{ to_id: 5 }, 1, 5, 5],
    [{ from_id: 5, to_id: 5 }, 5, 5, 1],
    [{ from_id: 12, to_id: 99 }, 12, 12, 1],
    [{ from_id: 1, to_id: Number.MAX_SAFE_INTEGER }, 1, 12, 12],
    [{ from_id: 13 }, null, null, 0],
    [{ from_id: 99, to_id: 100 }, null, null, 0],
    [{ from_id: Number.MAX_SAFE_INTEGER }, null, null, 0],
    [{ from_id: 6, to_id: 5 }, null, null, 0],
  ] as const)(
    'for the range %o, the entries from %o to %o are verified (%i entries)',
    async (range, first_id, last_id, checked) => {
      const head = { id: 12 };
      const expected = { valid: true, complete: true, next_id: null, first_id, last_id, checked, head };
      expect(await verify(range)).toMatchObject(expected);
    },
  );

  test('if a range of ids is given, only the entries in this range are verified', async () => {
    await spoil('id = 7');
    const seven = { valid: false, errors: [{ id: 7, reason: 'entry_changed' }], error_count: 1 };
    expect(await verify({ from_id: 7, to_id: 7 })).toMatchObject(seven);
    expect(await verify({ from_id: 7 })).toMatchObject(seven);
    expect(await verify({ to_id: 7 })).toMatchObject(seven);
    expect(await verify({ from_id: 8 })).toMatchObject({ valid: true });
    expect(await verify({ to_id: 6 })).toMatchObject({ valid: true });
  });

  test.each([{ to_id: 3 }, { from_id: 3, to_id: 3 }, { from_id: 99 }])(
    'the head and every row are verified even for the range %o',
    async (range) => {
      await attacker.sql`delete from eaas.audit_entries where tenant_id = ${small.tenantId} and id = 12`;
      await attacker.sql`delete from eaas.keys where key_id = ${small.key_id}`;
      const { valid, errors } = await verify(range);
      expect(valid).toBe(false);
      expect(errors).toContainEqual({ id: 12, reason: 'head_mismatch' });
      expect(errors).toContainEqual({ id: 2, reason: `key_missing: ${small.key_id}` });
    },
  );
});

test('a verification returns the first hundred errors and the total', async () => {
  const { key_id, api } = small;
  const items = Array.from({ length: 150 }, (_, nth) => ({ key_id, dek, context: { n: `${nth}` } }));
  await api('POST /v1/batch/wrap', { items });
  await spoil('id > 12');
  const { valid, checked, errors, error_count } = await verify();
  expect({ valid, checked, error_count }).toEqual({ valid: false, checked: 162, error_count: 150 });
  const first = Array.from({ length: 100 }, (_, nth) => ({ id: 13 + nth, reason: 'entry_changed' }));
  expect(errors).toEqual(first);
});

describe('a checkpoint', () => {
  const take = async (token = small.token) =>
    (await apiOf(world.replica(), token)('GET /v1/audit/checkpoint', {})).checkpoint;

  test('a checkpoint of the log remains valid after the log grows', async () => {
    const checkpoint = await take();
    expect(await verify({ checkpoint })).toMatchObject({ valid: true, checkpoint: { id: 12, valid: true } });
    await small.api('POST /v1/keys/:key_id/wrap', { key_id: small.key_id, dek });
    expect(await verify({ checkpoint })).toMatchObject({ valid: true, checkpoint: { id: 12, valid: true } });
  });

  test('a checkpoint is invalid if the hash of its entry was changed later', async () => {
    const checkpoint = await take();
    await small.api('POST /v1/keys/:key_id/wrap', { key_id: small.key_id, dek });
    await attacker.sql`update eaas.audit_entries set hash = sha256(hash) where tenant_id = ${small.tenantId} and id = 12`;
    const { valid, errors, checkpoint: judged } = await verify({ checkpoint });
    expect({ valid, judged }).toMatchObject({ valid: false, judged: { id: 12, valid: false } });
    expect(errors).toContainEqual({ id: 12, reason: 'checkpoint_mismatch' });
  });

  test('a checkpoint that was truncated, has another id or belongs to another tenant is refused', async () => {
    const other = await settle(world.replica(), 'other');
    const own = await take();
    const wrong = [await take(other.token), own.slice(0, -3), own.replace('\n12\n', '\n11\n'), 'nothing'];
    for (const checkpoint of wrong) expect(await statusOf(verify({ checkpoint }))).toBe(400);
  });
});

test('an auditor can recompute the chain from only the pages of GET /v1/audit', async () => {
  const pages: Output<'GET /v1/audit'>['logs'] = [];
  for (let offset = 0; ; offset += 5) {
    const { logs, total } = await small.api('GET /v1/audit', { limit: 5, offset });
    pages.push(...logs);
    if (pages.length === total) break;
  }
  let hash = genesisHash(small.tenantId);
  for (const { hash: shown, ...entry } of pages.toReversed()) {
    hash = entryHash(hash, entry);
    expect(Buffer.from(hash).toString('hex')).toBe(shown);
  }
  const { head } = await verify();
  expect(head).toEqual({ id: 12, hash: Buffer.from(hash).toString('hex') });
});

test('a verification reports an entry more than a minute in the future', async () => {
  const { time } = world;
  await small.api('POST /v1/keys/:key_id/wrap', { key_id: small.key_id, dek });
  world.time = time - 59_000;
  expect(await verify()).toMatchObject({ valid: true });
  world.time = time - 61_000;
  const { errors } = await verify({ from_id: 13 });
  world.time = time;
  expect(errors).toEqual([{ id: 13, reason: 'entry_in_future' }]);
});

test('a verification reports a row that was replaced by an older version', async () => {
  const { tenantId, key_id } = small;
  await attacker.sql`insert into eaas.row_records (tenant_id, row_id, rev) values (${tenantId}, ${key_id}, 9)`;
  const { errors } = await verify();
  expect(errors).toEqual([{ id: 2, reason: `key_put_back: ${key_id}` }]);
});

describe('rows', () => {
  test('each call of a verification continues after the last verified row', async () => {
    await attacker.sql`
      insert into eaas.api_keys select (jsonb_populate_record(a, jsonb_build_object(
        'api_key_id', gen_random_uuid(), 'token_hash', sha256(nth::text::bytea)))).*
      from eaas.api_keys a, generate_series(1, 1500) nth where tenant_id = ${small.tenantId}`;
    const shouldStop = () => true;
    const first = await verifyChain(world.replica(), small.tenantId, { shouldStop });
    expect(first).toMatchObject({
      valid: false,
      checked: 0,
      next_id: 1,
      next_row: expect.stringMatching(/^api_keys:/),
    });
    const row = first.next_row ?? undefined;
    const rest = await verifyChain(world.replica(), small.tenantId, { shouldStop, row, from_id: 1 });
    expect(rest).toMatchObject({ valid: false, checked: 12, next_id: null, next_row: null });
    expect(first.errors[0]?.reason).toContain('api_key_put_back');
    expect(rest.errors[0]?.reason).toContain('api_key_changed');
    // Each added API key causes two findings: `api_key_put_back` and `api_key_changed`.
    expect(first.error_count + rest.error_count).toBe(3_000);
  });

  test('a verification goes on after the last verified subject, and finds each subject without a row', async () => {
    const { key_id, tenantId } = small;
    for (let batch = 0; batch < 3; batch++) {
      const items = Array.from({ length: 700 }, (_, nth) => ({ key_id, dek, subject: `${batch} ${nth}` }));
      await small.api('POST /v1/batch/wrap', { items });
    }
    const verifyAll = async () => {
      const pages = [];
      for (let row: string | undefined, from_id = 1, isLeft = true; isLeft;) {
        const page = await verifyChain(world.replica(), tenantId, { shouldStop: () => true, row, from_id });
        pages.push(page);
        row = page.next_row ?? undefined;
        from_id = page.next_id ?? 1;
        isLeft = !page.complete;
      }
      return { pages, errors: pages.reduce((sum, { error_count }) => sum + error_count, 0) };
    };
    const { pages, errors } = await verifyAll();
    expect(pages.map(({ next_row }) => next_row?.split(':')[0])).toEqual(['subjects', 'subjects', undefined]);
    expect(pages.at(-1)).toMatchObject({ valid: true, checked: 2_112 });
    expect(errors).toBe(0);
    await attacker.sql`delete from eaas.subjects where get_byte(subject_id, 0) < 128`;
    const [{ count: left } = { count: 0 }] = await attacker.sql<{ count: number }[]>`
      select count(*)::int as count from eaas.subjects`;
    await attacker.sql`update eaas.subjects set created_at = created_at + 1`;
    expect(left).toBeGreaterThan(0);
    expect((await verifyAll()).errors).toBe(2_100);
  });

  test('a verification that continues after a given row does not verify earlier rows again', async () => {
    await attacker.sql`update eaas.keys set mac = sha256(mac) where key_id = ${small.key_id}`;
    expect(await verify({ row: 'keys:00000000-0000-0000-0000-000000000000' })).toMatchObject({
      valid: false,
    });
    expect(await verify({ row: `keys:${small.key_id}` })).toMatchObject({ valid: true, checked: 12 });
  });
});
