import { blocksOf, type EntryRow, entries, nameOf, type Query, type Run, type Where } from '@eaas/service';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase, migrated } from '@eaas/test-kit/database';
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { Database } from './database.ts';
import { postgresStore } from './postgres-store.ts';
import { linkAfter, newHead, rowsOf } from './testing/made-links.ts';

const place = await createDatabase(migrated);
const database = await closing(new Database(place.connection('server'), 2), (it) => it.close());
const store = postgresStore({ database, reads: database, background: database });
const sql = await closing(postgres({ ...place.connection('superuser'), max: 1 }), (it) => it.end());

const [ada, bob] = ['ada', 'bob'];

/** A tenant with these runs of entries: so many by somebody, who did something. */
async function tenantWith(...runs: (readonly [count: number, actor: string, action: string])[]) {
  const head = newHead();
  await store.create(head, [rowsOf(head.tenant_id).tenant()]);
  let last = 0;
  const all = runs.map(([count, actor, action]): Run => {
    const [key_id, key_version, ip_address, metadata] = [null, null, null, '{}'];
    const first = last + 1;
    last += count;
    return {
      first,
      last,
      actor,
      action,
      key_id,
      key_version,
      ip_address,
      metadata,
    };
  });
  const link = linkAfter(await store.read(head.tenant_id, []), []);
  const next = { ...link.next, id: last };
  const seals = randomBytes(80 * last);
  const blocks = all.flatMap(({ first, last, action, actor }) =>
    Array.from({ length: last - first + 1 }, (_, nth) => blocksOf(first + nth, action, actor)).flat(),
  );
  const unique = [...new Set(blocks)];
  await store.append(head.tenant_id, { ...link, next, runs: all, seals, blocks: unique, tallies: [] });
  return head.tenant_id;
}

async function listed(tenantId: string, where: Where[], page: Partial<Query<EntryRow>> = {}) {
  const query: Query<EntryRow> = { table: entries, where, by: 'id', descending: true, limit: 3, ...page };
  const { found } = await store.read(tenantId, [query]);
  const { rows, total } = found.get(nameOf(query)) ?? {};
  return { ids: rows?.map(({ row }) => (row as EntryRow).id), total };
}
const by = (actor: string): Where => ['actor', '=', actor];
const did = (action: string): Where => ['action', '=', action];

async function storedOf(tenantId: string): Promise<string[]> {
  const rows =
    await sql`select block || ' ' || of as name from eaas.audit_blocks where tenant_id = ${tenantId}`;
  return rows.map(({ name }) => name as string).toSorted();
}

/** The blocks that entries need, as the service names them, and as the database does. */
async function neededBy(tenantId: string): Promise<string[]> {
  const rows = await sql<{ id: string; actor: string; action: string; named: string[] }[]>`
    select id, actor, action, eaas.blocks_of(action, actor) as named from eaas.audit_entries where tenant_id = ${tenantId}`;
  const needed = rows.flatMap(({ id, actor, action, named }) => {
    const names = blocksOf(Number(id), action, actor);
    expect(names.map((name) => name.replace(/^\d+ /, ''))).toEqual(named);
    return names;
  });
  return [...new Set(needed)].toSorted();
}

async function purge(tenantId: string, id: number): Promise<void> {
  await sql`insert into eaas.audit_anchors values (${tenantId}, ${id}, '', '')
    on conflict (tenant_id) do update set id = excluded.id`;
  await sql`select eaas.purge_entries(${tenantId}, ${id}::bigint)`;
}

test('each block is noted of those who have an entry in it, and of each frequent action', async () => {
  const tenantId = await tenantWith(
    [1_000, ada, 'key.wrap'],
    [3, bob, 'key.rotate'],
    [2_100, ada, 'decrypt'],
  );
  const ofDecrypt = [0, 1, 2, 3].flatMap((block) => [`${block} decrypt`, `${block} decrypt by ada`]);
  const ofAda = [0, 1, 2, 3].map((block) => `${block} by ada`);
  const others = ['0 by bob', '0 key.wrap', '0 key.wrap by ada'];
  expect(await storedOf(tenantId)).toEqual([...ofDecrypt, ...ofAda, ...others].toSorted());
  expect(await neededBy(tenantId)).toEqual(await storedOf(tenantId));
});

test('a page, and a number up to a limit, come from as many blocks as they need', async () => {
  const tenantId = await tenantWith(
    [1_500, ada, 'key.wrap'],
    [1, bob, 'encrypt'],
    [1_000, ada, 'key.wrap'],
    [1, bob, 'key.wrap'],
    [2_000, ada, 'key.unwrap'],
  );
  const counts = 10_001;
  expect(await listed(tenantId, [by(bob)], { counts })).toEqual({ ids: [2_502, 1_501], total: 2 });
  expect(await listed(tenantId, [by('nobody')], { counts })).toEqual({ ids: [], total: 0 });
  expect(await listed(tenantId, [by(bob), did('key.wrap')], { counts })).toEqual({ ids: [2_502], total: 1 });
  expect(await listed(tenantId, [by(bob), did('decrypt')], { counts })).toEqual({ ids: [], total: 0 });
  expect(await listed(tenantId, [did('encrypt')])).toMatchObject({ ids: [1_501] });
  expect(await listed(tenantId, [by(ada), did('key.wrap')], { offset: 999, counts })).toEqual({
    ids: [1_502, 1_500, 1_499],
    total: 2_500,
  });
  // The rows before a page are walked too, also if nobody asks for a number.
  const second = { offset: 2_000, limit: 1_000 };
  const pageAfter = await listed(tenantId, [by(ada)], second);
  expect([pageAfter.ids?.length, pageAfter.ids?.[0]]).toEqual([1_000, 2_501]);
  expect(await listed(tenantId, [by(ada), did('key.wrap')], { offset: 2_000 })).toMatchObject({
    ids: [500, 499, 498],
  });
  const range: Where[] = [
    ['id', '>=', 1_000],
    ['id', '<=', 1_503],
  ];
  expect(await listed(tenantId, [by(ada), ...range], { counts: true })).toEqual({
    ids: [1_503, 1_502, 1_500],
    total: 503,
  });
});

test('after a purge, each entry that is left has its blocks, and of each other at most one is left', async () => {
  const tenantId = await tenantWith(
    [1_100, bob, 'encrypt'],
    [200, ada, 'key.wrap'],
    [5, bob, 'key.rotate'],
    [2_000, ada, 'key.wrap'],
  );
  for (const id of [1, 1_022, 1_023, 1_024, 1_101, 1_304, 1_305, 2_047]) {
    await purge(tenantId, id);
    const stored = await storedOf(tenantId);
    const needed = await neededBy(tenantId);
    expect(stored).toEqual(expect.arrayContaining(needed));
    const others = stored.filter((name) => !needed.includes(name)).map((name) => name.replace(/^\d+/, ''));
    expect(new Set(others).size).toBe(others.length);
  }
  expect(await listed(tenantId, [by(bob)])).toMatchObject({ ids: [] });
  expect(await listed(tenantId, [by(ada)], { counts: true })).toMatchObject({ total: 1_258 });
  await purge(tenantId, 3_305);
  expect(await neededBy(tenantId)).toEqual([]);
});

test('a destroyed tenant leaves no block', async () => {
  const [gone, kept] = [await tenantWith([9, ada, 'encrypt']), await tenantWith([9, ada, 'encrypt'])];
  await sql`select eaas.destroy_tenant(${gone})`;
  expect(await storedOf(gone)).toEqual([]);
  expect(await storedOf(kept)).toHaveLength(3);
});

test('a forged block shows nothing false, and a removed one hides entries from its own filter only', async () => {
  const tenantId = await tenantWith([1_500, ada, 'key.wrap'], [2, bob, 'key.unwrap']);
  const all = () =>
    Promise.all(
      [by(ada), by(bob), by('eve'), did('key.wrap'), did('decrypt')].map((one) =>
        listed(tenantId, [one], { counts: 10_001 }),
      ),
    );
  const before = await all();
  // Shifted, some of these numbers are those of real blocks.
  const forged = ['0', '1', '7', '-1', `${-(2n ** 54n)}`, `${2n ** 54n + 1n}`, `${2n ** 62n}`];
  for (const of of ['by ada', 'by bob', 'by eve', 'key.wrap', 'decrypt']) {
    await sql`insert into eaas.audit_blocks select ${tenantId}, ${of}, unnest(${forged}::bigint[]) on conflict do nothing`;
  }
  expect(await all()).toEqual(before);
  await sql`delete from eaas.audit_blocks where tenant_id = ${tenantId} and of = 'by ada' and block = 0`;
  const [ofAda, ...others] = await all();
  expect(ofAda).toMatchObject({ total: 1_500 - 1_023 });
  expect(others).toEqual(before.slice(1));
});
