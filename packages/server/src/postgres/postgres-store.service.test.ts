import { memoryStore } from '@eaas/local/internal';
import { randomBytes, randomUUID } from 'node:crypto';
import { migrated, createDatabase } from '@eaas/test-kit/database';
import { closing } from '@eaas/test-kit/closing';
import {
  anchors,
  entries,
  keys,
  keyVersions,
  type HeadRow,
  type Known,
  type Link,
  LinkRefused,
  nameOf,
  type Query,
  refOf,
  refTo,
  type Store,
  subjects,
} from '@eaas/service';
import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { appendLinks } from './append.ts';
import { Database } from './database.ts';
import { postgresStore } from './postgres-store.ts';
import { linkAfter, newHead, rowsOf } from './testing/made-links.ts';

const place = await createDatabase(migrated);
const database = new Database(place.connection('server'), 4);
await closing(database, () => database.close());

const inPostgres = postgresStore({ database, reads: database, background: database });
const stores: readonly (readonly [name: string, store: Store])[] = [
  ['memory', memoryStore({ now: Date.now })],
  ['PostgreSQL', inPostgres],
];

type Values = Readonly<Record<string, never>>;
const log = { table: entries, where: [], by: 'id' } as unknown as Query<never>;
const columnIn = (rows: readonly { row: object }[] = [], column: string): unknown[] =>
  rows.map(({ row }) => (row as Values)[column]);
const foundIn = ({ found }: Known, query: object) => found.get(nameOf(query as Query<never>));

function callsOf(store: Store) {
  const newTenant = async () => {
    const head = newHead();
    const rows = rowsOf(head.tenant_id);
    await store.create(head, [rows.tenant()]);
    return { tenantId: head.tenant_id, rows };
  };
  const appendTo = async (tenantId: string, metadata: string[], of?: Parameters<typeof linkAfter>[2]) =>
    store.append(tenantId, linkAfter(await store.read(tenantId, []), metadata, of));
  const logOf = async (tenantId: string) =>
    columnIn(foundIn(await store.read(tenantId, [log]), log)?.rows, 'metadata');
  return { newTenant, appendTo, logOf };
}

describe.each(stores)('in %s', (name, store) => {
  const { newTenant, appendTo, logOf } = callsOf(store);

  test('nothing is written after a head that has moved, or at another time', async () => {
    const { tenantId } = await newTenant();
    const link = linkAfter(await store.read(tenantId, []), ['{"first":true}']);
    const other = { ...link.expected, mac: randomBytes(32) };
    const outcomeOf = async (changes: object, of = tenantId) =>
      (await store.append(of, { ...link, ...changes })).outcome;
    expect(await outcomeOf({ expected: other })).toBe('moved');
    expect(await outcomeOf({ now: link.now - 60_000 })).toBe('clock');
    expect(await outcomeOf({ now: link.now + 60_000 })).toBe('clock');
    expect(await outcomeOf({}, randomUUID())).toBe('moved');
    expect(await logOf(tenantId)).toEqual([]);
    expect(await outcomeOf({})).toBe('written');
    expect(await outcomeOf({})).toBe('moved');
    expect(await logOf(tenantId)).toEqual(['{"first":true}']);
  });

  test('who holds the lock goes before all others', async () => {
    const { tenantId, rows } = await newTenant();
    const keyId = randomUUID();
    const ref = refTo(keys, keyId);
    const write = (text: string) =>
      store.locked(tenantId, [ref], [], (known) => {
        const { id = 0 } = known.head ?? {};
        expect(known.rows.get(ref)?.newest_rev).toBe(id === 0 ? undefined : id);
        return linkAfter(known, [`{"by":"${text}"}`], { writes: [rows.key(id + 1, {}, keyId)] });
      });
    const appended = await Promise.all(['a', 'b', 'c'].map(write));
    expect(appended.map((one) => one?.outcome)).toEqual(['written', 'written', 'written']);
    expect(new Set(await logOf(tenantId))).toEqual(new Set(['a', 'b', 'c'].map((by) => `{"by":"${by}"}`)));
    // No other tenant has the row.
    expect((await store.read((await newTenant()).tenantId, [ref])).rows.get(ref)).toBeNull();
    expect(await store.locked(tenantId, [], [], () => undefined)).toBeUndefined();
    const error = new Error('judged');
    const failing = (): never => {
      throw error;
    };
    await expect(store.locked(tenantId, [], [], failing)).rejects.toBe(error);
    await store.locked(randomUUID(), [], [], ({ head }) => {
      expect(head).toBeNull();
      return undefined;
    });
    expect((await appendTo(tenantId, ['{}'])).outcome).toBe('written');
  });

  test('a lost link is found by its nonce', async () => {
    const { tenantId } = await newTenant();
    await appendTo(tenantId, ['{}', '{}']);
    const link = linkAfter(await store.read(tenantId, []), ['{}', '{}', '{}']);
    await store.append(tenantId, link);
    await appendTo(tenantId, ['{}']);
    const after = (id: number, nonce = link.next.nonce): typeof link => ({
      ...link,
      expected: { ...link.expected, id },
      next: { ...link.next, nonce },
    });
    const others = [after(3), after(0, randomBytes(16))];
    const written: unknown[] = [];
    for (const all of [[...others, link], others]) {
      await store.locked(tenantId, [], all, (known) => void written.push(known.written));
    }
    expect(written).toEqual([link, undefined]);
  });

  test('a snapshot reads on in the state in which it began', async () => {
    const { tenantId, rows } = await newTenant();
    const all = Array.from({ length: 1_500 }, (_, nth) => rows.key(nth + 1));
    const people = [null, 5].map((erased) => rows.subject(randomBytes(32), erased));
    await appendTo(tenantId, ['{}', '{"b":1}'], { writes: [...all, ...people] });
    await store.snapshot(tenantId, [log], async (reader) => {
      const { known } = reader;
      await appendTo(tenantId, ['{}'], { writes: [rows.key(9_999)] });
      const scan = async (table: object) => {
        const stored = [];
        for await (const page of reader.rows(table as never)) stored.push(...page);
        return stored;
      };
      const found = new Map((await scan(keys)).map((one) => [refOf(keys, one.row as never), one]));
      const written = all.map(({ row, record }) => [
        refOf(keys, row as never),
        { row, newest_rev: record?.rev },
      ]);
      expect(found).toEqual(new Map(written as never));
      for await (const page of reader.rows(keys)) if (page.length > 0) break;
      expect(new Set((await scan(subjects)).map((one) => one.newest_rev))).toEqual(new Set([5, null]));
      expect(await scan(anchors)).toEqual([]);
      expect([known.head?.id, columnIn(foundIn(known, log)?.rows, 'metadata')]).toEqual([
        2,
        ['{}', '{"b":1}'],
      ]);
    });
    expect((await store.read(tenantId, [])).head?.id).toBe(3);
  });

  test('rows are found among those of all tenants', async () => {
    const { tenantId, rows } = await newTenant();
    const id = randomUUID();
    const apiKey = rows.apiKey(1, [], id);
    await appendTo(tenantId, ['{}'], { writes: [apiKey] });
    const hash = Buffer.from((apiKey.row as Values)['token_hash'] ?? '').toString('hex');
    const owned = await store.whose([hash, 'ff'.repeat(32), randomUUID(), 'x']);
    expect([...owned]).toEqual([[hash, { tenantId, id }]]);
    const none = [refTo(keys, 'no id'), refTo(keyVersions, randomUUID(), 'x')];
    expect([...(await store.read(tenantId, none)).rows]).toEqual(none.map((ref) => [ref, null]));
  });
});

describe('the links of many tenants', () => {
  const { newTenant, appendTo, logOf } = callsOf(inPostgres);
  const superuser = postgres({ ...place.connection('superuser'), max: 1 });
  const ready = closing(superuser, (it) => it.end());
  const tenantsOf = (count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await newTenant()).tenantId));
  /** How many transactions wrote the heads of these. */
  const transactionsOf = async (tenantIds: readonly string[]) => {
    const [row] = await superuser<{ n: string }[]>`
      select count(distinct xmin::text) as n from eaas.audit_heads where tenant_id in ${superuser(tenantIds)}`;
    return Number(row?.n);
  };

  test('each has its own outcome, and what moved comes with the head that is there', async () => {
    await ready;
    const tenantIds = await tenantsOf(10);
    const moved = await appendTo(tenantIds[4] ?? '', ['{"first":true}']);
    expect(moved).toMatchObject({ outcome: 'written' });
    const changes: Record<number, Partial<Link>> = {
      4: { expected: newHead() },
      5: { now: Date.now() - 60_000 },
      6: { now: Date.now() + 60_000 },
      7: { expected: { id: 1, mac: randomBytes(32) } },
      8: { expected: { id: 0, mac: randomBytes(32) } },
    };
    const before = await Promise.all(tenantIds.map((tenantId) => inPostgres.read(tenantId, [])));
    const links = tenantIds.map((tenantId, nth) => {
      const link = linkAfter(before[nth] as Known, ['{"n":1}', '{"n":2}']);
      return { tenantId, link: { ...link, ...changes[nth] } };
    });
    const appended = await Promise.all(links.map(({ tenantId, link }) => inPostgres.append(tenantId, link)));
    const outcomes = appended.map(({ outcome }) => outcome);
    const others = { 4: 'moved', 5: 'clock', 6: 'clock', 7: 'moved', 8: 'moved' };
    expect(outcomes).toEqual(Object.assign(Array(10).fill('written'), others));
    expect(appended.map(({ head }) => head)).toEqual(
      appended.map((_, nth) => (outcomes[nth] === 'moved' ? before[nth]?.head : undefined)),
    );
    for (const { time } of appended) expect(Math.abs(time - Date.now())).toBeLessThan(600_000);
    const logs = await Promise.all(tenantIds.map(logOf));
    const logOfOutcome = (outcome: string) => (outcome === 'written' ? ['{"n":1}', '{"n":2}'] : []);
    expect(logs).toEqual(Object.assign(outcomes.map(logOfOutcome), { 4: ['{"first":true}'] }));
    const [, again] = await database.run((sql) => appendLinks(sql, links.slice(3, 5)));
    expect(again).toMatchObject({ outcome: 'moved', head: before[4]?.head });
    // Of those that were written, the first two left alone.
    expect(await transactionsOf(tenantIds.filter((_, nth) => !(nth in others)))).toBe(3);
  });

  test('what is stored is what one alone stores', async () => {
    const tenantIds = await tenantsOf(6);
    const own = ['tenant_id', 'hash', 'mac', 'salt'];
    const of = { key_id: randomUUID(), key_version: 3, actor: 'é"\\' };
    const first = linkAfter(await inPostgres.read(tenantIds[0] ?? '', []), ['{"n":1}', '{"n":2}'], of);
    const stored = async (tenantId: string) => {
      const { head } = await inPostgres.read(tenantId, []);
      const seals = randomBytes(160);
      const next = { ...first.next, tenant_id: tenantId };
      const link = { ...first, seals, expected: head as HeadRow, next };
      return async (store: Store) => {
        await store.append(tenantId, link);
        const found: object[] = [];
        for (const table of ['audit_heads', 'audit_entries', 'audit_blocks', 'tallies']) {
          found.push(
            await superuser`select to_jsonb(t) - ${table === 'audit_entries' ? own : ['tenant_id']}::text[] as row
              from eaas.${superuser(table)} t where tenant_id = ${tenantId} order by 1`,
          );
        }
        const [row] = await superuser<{ seals: Uint8Array }[]>`
          select string_agg(hash || mac || salt, '' order by id) as seals from eaas.audit_entries where tenant_id = ${tenantId}`;
        expect(row?.seals).toEqual(seals);
        return found;
      };
    };
    const [one, ...others] = await Promise.all(tenantIds.map(stored));
    const alone = await one?.(inPostgres);
    expect(alone?.every((rows) => (rows as unknown[]).length > 0)).toBe(true);
    const together = await Promise.all(others.map((append) => append(inPostgres)));
    for (const each of together) expect(each).toEqual(alone);
  });

  test.each(['a\0', '22P02'])('a link that is refused hurts no other (%j)', async (fault) => {
    const tenantIds = await tenantsOf(8);
    const unparsed = { blocks: ['no-number of'] };
    const all = await Promise.allSettled(
      tenantIds.map(async (tenantId, nth) => {
        const link = linkAfter(await inPostgres.read(tenantId, []), ['{}']);
        const actor = { runs: link.runs.map((run) => ({ ...run, actor: fault })) };
        return inPostgres.append(tenantId, {
          ...link,
          ...(nth === 5 && (fault === '22P02' ? unparsed : actor)),
        });
      }),
    );
    const statuses = Object.assign(Array(8).fill('fulfilled'), { 5: 'rejected' });
    expect(all.map(({ status }) => status)).toEqual(statuses);
    expect(await Promise.all(tenantIds.map(logOf))).toEqual(
      statuses.map((status) => (status === 'rejected' ? [] : ['{}'])),
    );
  });

  test('a tenant that somebody has locked holds up no other', async () => {
    const tenantIds = await tenantsOf(8);
    const links = await Promise.all(
      tenantIds.map(async (tenantId) => linkAfter(await inPostgres.read(tenantId, []), ['{}'])),
    );
    const ends: number[] = [];
    let all: Promise<unknown> = Promise.resolve();
    await superuser.begin(async (tx) => {
      await tx`select from eaas.audit_heads where tenant_id = ${tenantIds[4] ?? ''} for update`;
      all = Promise.all(
        links.map(async (link, nth) => {
          // Who is locked out for too long is refused.
          await inPostgres.append(tenantIds[nth] ?? '', link).catch(() => {});
          if (nth !== 4) ends.push(nth);
        }),
      );
      await vi.waitFor(() => expect(ends).toHaveLength(7));
    });
    await all;
    // Nobody else had to wait, and to be sent once more.
    expect(await transactionsOf(tenantIds.filter((_, nth) => nth !== 4))).toBe(3);
  });
});

test('nothing is judged under the lock for a caller whose time is over', async () => {
  const { tenantId } = await callsOf(inPostgres).newTenant();
  const run = (work: Parameters<Database['run']>[0]) => database.run((sql) => work(sql, 0));
  const late = postgresStore({ database: { run } as Database, reads: database, background: database });
  const judge = vi.fn<() => undefined>();
  await expect(late.locked(tenantId, [], [], judge)).rejects.toThrow('the lock of the tenant did not come');
  expect(judge).not.toHaveBeenCalled();
});

test('an append under the lock gets what the wait for the lock has left of the time', async () => {
  const limit = 60_000;
  const { tenantId } = await callsOf(inPostgres).newTenant();
  const told: string[] = [];
  let begun = Infinity;
  const run = async (work: Parameters<Database['run']>[0]) =>
    database.run((sql) => {
      const unsafe = (text: string) => {
        told.push(text);
        return sql.unsafe(text);
      };
      const get = (_: unknown, name: string): unknown =>
        name === 'unsafe' ? unsafe : Reflect.get(sql, name);
      const working = work(new Proxy<typeof sql>(sql, { get }), limit);
      begun = performance.now();
      return working;
    });
  const timed = postgresStore({ database: { run } as Database, reads: database, background: database });
  const holder = postgres({ ...place.connection('superuser'), max: 1 });

  let locking: ReturnType<typeof timed.locked> | undefined;
  let released = 0;
  await holder.begin(async (tx) => {
    await tx`select from eaas.audit_heads where tenant_id = ${tenantId} for update`;
    locking = timed.locked(tenantId, [], [], (known) => linkAfter(known, ['{}']));
    await tx`select pg_sleep(0.05)`;
    released = performance.now();
  });
  expect((await locking)?.outcome).toBe('written');
  await holder.end();

  const timeouts = told.flatMap((text) => /^set local statement_timeout = (\d+)$/.exec(text)?.[1] ?? []);
  expect(timeouts).toHaveLength(1);
  expect(Number(timeouts[0])).toBeLessThanOrEqual(begun + limit - released);
});

const alone = await closing(new Database(place.connection('server'), 1), (it) => it.close());
const onOne = postgresStore({ database: alone, reads: alone, background: alone });

test('after an error under the lock, the connection is out of its transaction', async () => {
  const { newTenant, appendTo } = callsOf(onOne);
  const { tenantId, rows } = await newTenant();
  const twice = { writes: [1, 2].map((nth) => rows.key(nth, { name: 'same' })) };
  const fails = (): never => {
    throw new LinkRefused('judged');
  };
  for (const [nth, work] of [fails, (known: Known) => linkAfter(known, ['{}'], twice)].entries()) {
    await expect(onOne.locked(tenantId, [], [], work)).rejects.toThrow(LinkRefused);
    expect((await appendTo(tenantId, ['{}'])).outcome).toBe('written');
    // Another connection sees it.
    expect(await callsOf(inPostgres).logOf(tenantId)).toHaveLength(nth + 1);
  }
});

test('a connection that cannot roll back is not used again', async () => {
  const { tenantId } = await callsOf(inPostgres).newTenant();
  const raise = `do $$ begin raise exception using errcode = 'XX000'; end $$`;
  const refuse = () => database.run((sql) => sql.unsafe(raise));
  const run = (work: Parameters<Database['run']>[0]) =>
    alone.run((sql, limit) => {
      const unsafe = (text: string) => (text === 'rollback' ? refuse() : sql.unsafe(text));
      const get = (_: unknown, name: string): unknown =>
        name === 'unsafe' ? unsafe : Reflect.get(sql, name);
      return work(new Proxy<typeof sql>(sql, { get }), limit);
    });
  const store = postgresStore({ database: { run } as Database, reads: alone, background: alone });
  const judge = vi.fn<() => never>().mockImplementation(() => expect.fail('judged'));
  await store.locked(tenantId, [], [], judge).catch(() => {});
  expect(judge).toHaveBeenCalledOnce();
  expect((await callsOf(onOne).appendTo(tenantId, ['{}'])).outcome).toBe('written');
  // Another connection sees it.
  expect(await callsOf(inPostgres).logOf(tenantId)).toHaveLength(1);
});

test('a link may be a second ahead of the clock, and ten behind, in both stores', async () => {
  const now = Date.now();
  const still = await createDatabase(migrated);
  const superuser = postgres({ ...still.connection('superuser'), max: 1, onnotice: () => {} });
  await superuser.unsafe(
    `create or replace function eaas.now_ms() returns bigint language sql return ${now}::bigint`,
  );
  await superuser.end();
  const calls = new Database(still.connection('server'), 1);
  for (const store of [
    memoryStore({ now: () => now }),
    postgresStore({ database: calls, reads: calls, background: calls }),
  ]) {
    const { tenantId } = await callsOf(store).newTenant();
    const outcomes = [];
    for (const time of [now + 1_001, now - 10_001, now + 1_000, now - 10_000]) {
      const link = linkAfter(await store.read(tenantId, []), ['{}']);
      outcomes.push((await store.append(tenantId, { ...link, now: time })).outcome);
    }
    expect(outcomes).toEqual(['clock', 'clock', 'written', 'written']);
  }
  await calls.close();
});

test('a link that PostgreSQL refuses writes nothing', async () => {
  const { newTenant, appendTo, logOf } = callsOf(inPostgres);
  const { tenantId, rows } = await newTenant();
  const twice = { writes: [1, 2].map((nth) => rows.key(nth, { name: 'same' })) };
  await expect(appendTo(tenantId, ['{}'], { action: 'key\0wrap' })).rejects.toThrow(LinkRefused);
  await expect(appendTo(tenantId, ['{}'], twice)).rejects.toThrow(LinkRefused);
  const locked = inPostgres.locked(tenantId, [], [], (known) => linkAfter(known, ['{}'], twice));
  await expect(locked).rejects.toThrow(LinkRefused);
  expect(await logOf(tenantId)).toEqual([]);
  expect((await appendTo(tenantId, ['{}'])).outcome).toBe('written');
});

test('PostgreSQL ends a page of entries after so many bytes, but never before its first entry', async () => {
  const { newTenant, appendTo } = callsOf(inPostgres);
  const { tenantId } = await newTenant();
  const metadata = ['é'.repeat(500), 'x'.repeat(900), '1', '2', '3'];
  for (const text of metadata) await appendTo(tenantId, [JSON.stringify(text)]);
  const pageOf = async (bytes: number, limit: number) => {
    const page = { ...log, bytes, limit };
    const { rows } = foundIn(await inPostgres.read(tenantId, [page]), page) ?? {};
    return columnIn(rows, 'metadata');
  };
  expect(await pageOf(1, 5)).toEqual(metadata.slice(0, 1));
  expect(await pageOf(1_000, 5)).toEqual(metadata.slice(0, 1));
  expect(await pageOf(1_001, 5)).toEqual(metadata.slice(0, 2));
  expect(await pageOf(1_901, 5)).toEqual(metadata.slice(0, 3));
  expect(await pageOf(10_000, 4)).toEqual(metadata.slice(0, 4));
});
