import { migrated, createDatabase } from '@eaas/test-kit/database';
import { closing } from '@eaas/test-kit/closing';
import { between, entries, type Query, type Where } from '@eaas/service';
import { expect, test } from 'vitest';
import { foundBy } from './query.ts';
import { openPool } from './sql.ts';
import { part, statement } from './statement.ts';
import { newHead } from './testing/made-links.ts';

const place = await createDatabase(migrated);
const sql = await closing(openPool(place.connection('superuser'), 1), (pool) => pool.end());
const all = 1_000_000;
const key = '00000000-0000-4000-8000-000000000001';
const person = 'ab'.repeat(16);
const head = { ...newHead(), id: all };
const { tenant_id } = head;

await sql`insert into eaas.audit_heads ${sql({ ...head })}`;
await sql`
  insert into eaas.audit_entries
    (tenant_id, id, action, key_id, key_version, actor, metadata, created_at, salt, hash, mac)
  select ${tenant_id}, n, case when n % 5000 = 3 then 'key.rotate' when n % 2 = 0 then 'key.wrap' else 'key.unwrap' end,
    case when n % 5000 = 2 then ${key} else gen_random_uuid() end, 1, case when n % 100000 = 5 then 'rare' else 'often' end,
    case when n % 5000 = 4 then ${`{"subject":"${person}"}`} when n % 5000 = 5 then ${`{"user":"${person}"}`} else '{}' end,
    10 * n, '', '', ''
  from generate_series(1, ${all}::bigint) n`;
await sql`
  insert into eaas.audit_blocks (tenant_id, of, block)
  select distinct tenant_id, unnest(eaas.blocks_of(action, actor)), id / 1024 from eaas.audit_entries`;
await sql`analyze`;

/** How many entries a plan has read: where it goes through the whole table, all. */
function readBy(plan: string): number {
  const scans = plan.split('->').filter((node) => node.includes('on audit_entries'));
  const said = (node: string, by: RegExp): number => Number(by.exec(node)?.[1] ?? 0);
  const read = scans.map((node) => {
    const each = said(node, /actual rows=(\d+)/) + said(node, /Removed by Filter: (\d+)/);
    return node.includes('Seq Scan') ? all : each * said(node, /loops=(\d+)/);
  });
  return read.reduce((sum, one) => sum + one);
}

const page = { table: entries, by: 'id', descending: true, limit: 50 } as const;
const of = (column: string, value: string): Where => [column, '=', value];

test.each<[string, { readonly [Name in keyof Query<never>]?: Query<never>[Name] | undefined }]>([
  ['those between two ids', { where: between('id', 400_000, 600_000) }],
  [
    'the first one since a time',
    { where: [['created_at', '>=', 5_000_000]], descending: undefined, limit: 1 },
  ],
  ['the last one until a time', { where: [['created_at', '<=', 5_000_000]], limit: 1 }],
  ['those of a key', { where: [of('key_id', key)] }],
  ['those of a rare action', { where: [of('action', 'key.rotate')] }],
  ['those of a frequent action', { where: [of('action', 'key.wrap')] }],
  [
    'those of a frequent action before a time',
    { where: [of('action', 'key.wrap'), ['created_at', '<=', 5_000_000]] },
  ],
  ['those of a rare actor', { where: [of('actor', 'rare')] }],
  ['those of an actor, counted', { where: [of('actor', 'often')], counts: 10_001 }],
  ['those of an actor and an action', { where: [of('actor', 'often'), of('action', 'key.unwrap')] }],
  ['those of a subject', { where: [of('subject', person)], counts: 10_001 }],
  ['those of a user', { where: [of('user', person)], counts: 10_001 }],
])('of 1,000,000 entries, a list of %s reads few', async (_, query) => {
  const asked = foundBy(tenant_id, { ...page, ...query } as Query<never>, new Map());
  const lines = await statement<{ 'QUERY PLAN': string }[]>(
    sql,
    part`explain (analyze, timing off) select ${asked.sql}`,
  );
  expect(readBy(lines.map((line) => line['QUERY PLAN']).join('\n'))).toBeLessThan(25_000);
});
