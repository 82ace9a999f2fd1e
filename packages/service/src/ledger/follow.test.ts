// What a replica does with a head that another one has moved.
import { afterEach, expect, test, vi } from 'vitest';
import { countUp, look, note, openPair, type Step } from '../../test/pair.ts';
import type { Appended } from './store.ts';
import { allOf, refTo } from './table.ts';
import { entries, type HeadRow } from './tables.ts';

afterEach(() => void vi.useRealTimers());

/** Two replicas that know the tenant, and what the first one asks of the store: `read` begins the way by the lock. */
async function knownPair(change: (appended: Appended) => Appended | Promise<Appended> = (same) => same) {
  const steps: Step[] = [];
  const pair = await openPair({
    wait: async (step) => void (step !== 'answer' && steps.push(step)),
    send: async (link) => change(await link()),
  });
  await pair.decide(1, countUp);
  await pair.decide(0, note);
  const stepsOf = async (work: () => Promise<unknown>) => {
    steps.length = 0;
    await work();
    return steps.slice();
  };
  const tenant = pair.store.tenants.get(pair.tenantId);
  if (!tenant) throw new Error('expected a tenant');
  return { ...pair, stepsOf, tenant };
}

test('a head that moved without a change of rows is judged on once more, without the lock', async () => {
  const { decide, stepsOf, verified, failures } = await knownPair();
  await decide(1, note);
  // The second commit is that of the same batch. What is looked up between is whether a loss was the reason.
  expect(await stepsOf(() => decide(0, note))).toEqual(['commit', 'read', 'commit']);
  await decide(1, note);
  expect(await stepsOf(() => decide(0, note))).toEqual(['commit', 'commit']);
  expect(failures).toEqual([]);
  expect(await verified()).toMatchObject({ valid: true, head: { id: 6 } });
});

test('after a change of rows, one batch takes the lock', async () => {
  const { decide, stepsOf } = await knownPair();
  await decide(1, countUp);
  expect((await stepsOf(() => decide(0, note))).filter((step) => step === 'read')).toHaveLength(2);
  expect(await stepsOf(() => decide(0, note))).toEqual(['commit']);
  expect((await decide(0, look)).answer).toBe(2);
});

test('a head that moves three times takes the lock, for one batch', async () => {
  let left = 0;
  const { decide, stepsOf } = await knownPair();
  const overtaken = {
    judge(...given: Parameters<typeof note.judge>) {
      if (left-- > 0) void decide(1, note);
      return note.judge(...given);
    },
  };
  await decide(1, note);
  left = 9;
  const steps = await stepsOf(() => decide(0, overtaken));
  expect(steps.length).toBeGreaterThan(6);
  expect(9 - left).toBe(4);
});

test('who comes while an append is under way shares the next attempt of a batch that lost', async () => {
  const { decide, stepsOf } = await knownPair();
  await decide(1, note);
  const first = decide(0, note);
  const steps = await stepsOf(() => Promise.all([first, decide(0, note), decide(0, note)]));
  expect(steps).toEqual(['read', 'commit']);
});

test('what was read beside the rows is read again behind a head that moved', async () => {
  const { decide } = await knownPair();
  await decide(1, note);
  const last = { table: entries, where: [], by: 'id', descending: true, limit: 1 } as const;
  const query = allOf(last as never);
  let isOvertaken = true;
  const { answer } = await decide<number>(0, {
    needs: () => [query],
    judge(view) {
      const [row] = view.all<{ id: number }>(last as never).rows;
      if (isOvertaken) void decide(1, note);
      isOvertaken = false;
      return { ...note.judge(view, null), answer: row?.id ?? 0 };
    },
  });
  expect(answer).toBe(4);
});

test('each is judged anew on the head that moved: its quota, and its place in the log', async () => {
  const { decide } = await knownPair();
  const seen: object[] = [];
  const encrypt = {
    judge(view: Parameters<typeof note.judge>[0]) {
      seen.push({ entry: view.entryId, encrypts: view.encrypts });
      return { ...note.judge(view, null), encrypts: 1 };
    },
  };
  for (const nth of [1, 0]) await decide(nth, encrypt);
  expect(seen).toEqual([
    { entry: 2, encrypts: 0 },
    { entry: 3, encrypts: 0 },
    { entry: 3, encrypts: 0 },
    { entry: 4, encrypts: 1 },
  ]);
});

test.each<[string, (head: HeadRow, old: HeadRow) => HeadRow, string[]]>([
  ['an older head', (_, old) => old, ['went back']],
  ['another head at the same id', (head, old) => ({ ...head, id: old.id + 1 }), ['went back']],
  ['a head that the service did not write', (head) => ({ ...head, encrypts: 7 }), ['audit_heads altered']],
])('%s is not followed', async (_, changed, told) => {
  let head: HeadRow | undefined;
  const { decide, failures, tenant, verified } = await knownPair((appended) =>
    appended.outcome === 'moved' && head ? { ...appended, head } : appended,
  );
  const old = { ...tenant.head, id: tenant.head.id - 1 };
  await decide(1, note);
  head = changed(tenant.head, old);
  await decide(0, note).catch(() => {});
  head = undefined;
  expect(failures).toEqual(told);
  expect(await verified()).toMatchObject({ valid: true });
});

test.each<[string, (head: HeadRow) => HeadRow, string[]]>([
  ['is merely late', (head) => ({ ...head, id: head.id - 1 }), []],
  ['is the newest', (head) => head, []],
  ['is another at the id of the newest', (head) => ({ ...head, mac: new Uint8Array(32) }), ['went back']],
])('where the newest head is known meanwhile, one that %s', async (_, changed, told) => {
  let looked: Promise<unknown> | undefined;
  const { decide, tenant, failures, locks } = await knownPair(async (appended) => {
    if (appended.outcome !== 'moved' || !looked) return appended;
    await looked;
    return { ...appended, head: changed(tenant.head) };
  });
  for (const nth of [1, 1]) await decide(nth, note);
  const before = locks();
  looked = new Promise((resolve) => setTimeout(resolve)).then(() => decide(0, look));
  await decide(0, note);
  expect(failures).toEqual(told);
  expect(locks() - before).toBe(told.length);
});

test('whoever only reads learns of a loss by another head at the id of the newest', async () => {
  const { decide, tenant, failures } = await knownPair();
  const { head } = tenant;
  await decide(0, note);
  tenant.head = head;
  await decide(1, note);
  expect(failures).toEqual([]);
  await decide(0, look);
  expect(failures).toEqual(['went back']);
});

test('the entry that was the newest before a head is followed shows whether it was lost', async () => {
  const { decide, tenant, failures } = await knownPair();
  await decide(0, note);
  const newest = refTo(entries, tenant.head.id);
  await decide(1, note);
  const log = tenant.tables.get(entries.name);
  const lost = log?.get(newest);
  if (!lost) throw new Error('expected the entry');
  log?.set(newest, { ...lost, row: { ...lost.row, hash: new Uint8Array(32) } as typeof lost.row });
  await decide(0, note);
  await vi.waitFor(() => expect(failures).toEqual(['went back']));
});

/** Another entry at the id of the newest, as if it had been lost and its id used again. Returns that id. */
function replaceNewest({ tables, head }: Awaited<ReturnType<typeof knownPair>>['tenant']): number {
  const log = tables.get(entries.name);
  const name = refTo(entries, head.id);
  const stored = log?.get(name);
  if (!stored) throw new Error('expected the entry');
  log?.set(name, { ...stored, row: { ...stored.row, hash: new Uint8Array(32) } as typeof stored.row });
  return head.id;
}

test('what is lost in the second after a look is noticed when that second is over', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const { decide, tenant, failures, losses } = await knownPair();
  await decide(1, note);
  await decide(0, note);
  await decide(0, note);
  const lostId = replaceNewest(tenant);
  await decide(1, note);
  await decide(0, note);
  expect(failures).toEqual([]);

  await vi.advanceTimersByTimeAsync(1_000);

  expect(losses).toEqual([[lostId, lostId + 2]]);
});

test('each head of that second is looked up, so a loss before other appends is noticed too', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const { decide, tenant, losses } = await knownPair();
  await decide(1, note);
  await decide(0, note);
  const lost: number[] = [];
  for (let nth = 0; nth < 3; nth++) {
    lost.push(replaceNewest(tenant));
    await decide(1, note);
    await decide(0, note);
  }
  expect(losses).toEqual([]);

  await vi.advanceTimersByTimeAsync(1_000);

  expect(losses.map(([seenId]) => seenId)).toEqual(lost);
});

test('a look that the database does not answer is repeated', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  let isAway = false;
  const { decide, store, tenantId, losses } = await openPair({
    arrive: async () => {
      if (isAway) throw new Error('away');
    },
  });
  await decide(1, note);
  await decide(0, note);
  const tenant = store.tenants.get(tenantId);
  if (!tenant) throw new Error('expected a tenant');
  const lostId = replaceNewest(tenant);
  await decide(1, note);
  isAway = true;
  await decide(0, note);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(losses).toEqual([]);

  isAway = false;
  await vi.advanceTimersByTimeAsync(1_000);

  expect(losses.map(([seenId]) => seenId)).toEqual([lostId]);
});

test('a guess that follows lives no longer for that', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const { decide, stepsOf } = await knownPair();
  await vi.advanceTimersByTimeAsync(599_000);
  for (const nth of [1, 0]) {
    const noted = decide(nth, note);
    await vi.advanceTimersByTimeAsync(100);
    await noted;
  }
  expect(await stepsOf(() => decide(0, note))).toEqual(['commit']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await stepsOf(() => decide(0, note))).toEqual(['read', 'commit']);
});
