import { memoryStore } from '@eaas/local/internal';
import { closing } from '@eaas/test-kit/closing';
import { migrated, createDatabase } from '@eaas/test-kit/database';
import { apiKeys, entries, keys, nameOf, type Query, subjects, tallies } from '@eaas/service';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Database } from './database.ts';
import { postgresStore } from './postgres-store.ts';
import { linkAfter, newHead, rowsOf } from './testing/made-links.ts';

const place = await createDatabase(migrated);
const database = await closing(new Database(place.connection('server'), 2), (it) => it.close());
const inPostgres = postgresStore({ database, reads: database, background: database });
const stores = [memoryStore({ now: Date.now }), inPostgres] as const;

const start = Date.now();
const uuids = [1, 2, 3].map(() => crypto.randomUUID());
const half = 'ab'.repeat(16);
const texts = ['{}', `{"subject":"${half}cd"}`, `{"user":"${half}"}`, `{"context":{"user":"${half}"}}`];

/** Fills a tenant with 16 rows of each table and 2,548 entries, in both stores: `system` has entries in several blocks. */
async function fill(): Promise<string> {
  const head = newHead();
  const { tenant_id } = head;
  const rows = rowsOf(tenant_id);
  const tenant = rows.tenant();
  for (const store of stores) await store.create(head, [tenant]);
  for (let nth = 1; nth <= 16; nth++) {
    const status = nth > 8 ? 'destroyed' : nth % 3 === 0 ? 'disabled' : 'active';
    const writes = [
      rows.key(nth, { name: `key ${nth % 8}`, status, destroy_at: nth > 8 ? nth : null }, uuids[nth]),
      rows.apiKey(nth, nth % 2 === 0 ? ['encrypt', 'keys.read'] : ['encrypt']),
      rows.subject(Buffer.alloc(32, nth), nth > 8 ? nth : null),
    ];
    const more = Array.from({ length: nth === 12 ? 2_503 : 3 }, (_, at) => at);
    const metadata = more.map((at) => texts[(nth + at) % 4] ?? '');
    const key_id = uuids[nth % 4] ?? null;
    const link = linkAfter(await inPostgres.read(tenant_id, []), metadata, {
      writes,
      action: nth % 2 === 0 ? 'key.wrap' : 'key.unwrap',
      key_id,
      key_version: key_id === null ? null : 1 + (nth % 3),
      actor: nth % 4 === 0 ? 'system' : 'operator',
    });
    const next = { ...link.next, created_at: start + 10 * Math.floor(nth / 2) };
    for (const store of stores) {
      expect((await store.append(tenant_id, { ...link, next })).outcome).toBe('written');
    }
  }
  return tenant_id;
}

/** Conditions on a column, one for each operator and value. */
const are = (column: string, operators: string, values: readonly unknown[]) =>
  operators.split(' ').flatMap((operator) => values.map((value) => [column, operator, value]));
const numbers = [0, 1, 5, 9, 16, 99];
const times = [0, 19, 20, 21, 1_000].map((later) => start + later);
const ofKey = are('key_id', '=', [...uuids, '', 'x']);
const inKeys = are('key_id', 'in', [[...uuids.slice(1), 'x'], []]);
const ofAction = are('action', '=', ['key.wrap', 'key.create']);
const ofNumber = (column: string) => are(column, '>= <= =', numbers);
const states = are('status', '= <>', ['active', 'disabled', 'destroyed']);
const names = are('name', '=', ['key 1', 'key 9', 'a\0']);
const permissions = are('permissions', 'has', ['encrypt', 'keys.read', 'x']);
const people = [...are('subject', '=', [half, 'cd']), ...are('user', '=', [half])];
const bytes = numbers.map((one) => Buffer.alloc(32, one));
const erased = [...ofNumber('erased_id'), ['erased_id', 'null']];
const halves = ['05', '09', '10', 'ab', '10aa'].map((one) => one.repeat(16).slice(0, 32));
const begins = are('subject_id', 'begins', [halves, halves.slice(0, 1), []]);
const sums = ['n', 'refused'];
const tables = [
  { table: keys, by: 'created_id', all: [...ofNumber('created_id'), ['destroy_at', 'null']] },
  { table: keys, by: 'created_id', all: [...names, ...ofKey, ...inKeys] },
  { table: keys, by: 'created_id', all: [...states, ...are('status', 'in', [['active', 'x'], []])] },
  { table: apiKeys, by: 'created_id', all: [...permissions, ['revoked_at', 'null']] },
  { table: subjects, by: 'subject_id', all: [...erased, ...begins, ...are('subject_id', '>= <= =', bytes)] },
  { table: entries, by: 'id', all: [...ofNumber('id'), ...are('created_at', '>= <=', times)] },
  {
    table: entries,
    by: 'id',
    all: [...ofKey, ...ofAction, ...people, ...are('actor', '=', ['operator', 'system', 'x'])],
  },
  {
    table: tallies,
    sums,
    all: [...ofKey, ...ofAction, ['key_id', 'null'], ...ofNumber('key_version')],
  },
];
const anyQuery = fc.constantFrom(...tables).chain(({ all, ...of }) =>
  fc.record({
    ...Object.fromEntries(Object.entries(of).map(([name, value]) => [name, fc.constant(value)])),
    where: fc.array(fc.constantFrom(...all), { maxLength: 3 }),
    descending: fc.constantFrom(true, undefined),
    limit: of.sums ? fc.constant(0) : fc.option(fc.nat(6), { nil: undefined }),
    // PostgreSQL has no least of bytes, and no list of people has an offset.
    offset: fc.nat(of.by === 'subject_id' ? 0 : 4),
    counts: fc.constantFrom(undefined, true, 3),
  }),
);

test('PostgreSQL finds the rows that memory finds, in the same order, and counts them alike', async () => {
  const [tenantId] = [await fill(), await fill()];
  const property = fc.asyncProperty(fc.array(anyQuery, { minLength: 1, maxLength: 8 }), async (asked) => {
    const queries = asked as unknown as Query<never>[];
    const [expected, found] = await Promise.all(
      stores.map(async (store) => (await store.read(tenantId, queries)).found),
    );
    for (const query of queries) {
      const [inMemory, here] = [expected, found].map((by) => by?.get(nameOf(query)));
      expect({ query, rows: here?.rows }).toEqual({ query, rows: inMemory?.rows });
      expect({ query, sums: here?.sums }).toEqual({ query, sums: inMemory?.sums });
      // Whoever wants a number up to a limit may get any above it.
      const most = query.counts === true ? Infinity : (query.counts ?? -1);
      const total = Math.min(here?.total ?? 0, most);
      expect({ query, total }).toEqual({ query, total: Math.min(inMemory?.total ?? 0, most) });
    }
  });
  await fc.assert(property, { seed: 1, numRuns: 100 });
});
