import { afterEach, expect, test, vi } from 'vitest';
import { countUp, keyId, look, note, openPair, type Step } from '../../test/pair.ts';
import { tenantDraft } from '../rules/draft.ts';
import { Missing, prepared } from './decision.ts';
import { LinkRefused } from './store.ts';
import { refTo } from './table.ts';
import { entries, keys } from './tables.ts';

afterEach(() => void vi.useRealTimers());

test('a replica remembers what it has changed', async () => {
  const steps: Step[] = [];
  const { decide } = await openPair({ wait: async (step) => void steps.push(step) });
  await decide(0, countUp);
  steps.length = 0;
  await decide(0, note);
  expect(steps).toEqual(['commit', 'answer']);
});

test('blocks are stored once, and again when another replica wrote, because a failover can have lost them', async () => {
  const { decide, blocks, forget } = await openPair();
  for (const nth of [0, 0, 1, 1, 0, 0]) await decide(nth, note);
  forget(0);
  await decide(0, note);
  expect(blocks.map((names) => names.length)).toEqual([1, 0, 1, 0, 1, 0, 1]);
});

test('a newer head that was changed is refused, even if no row was', async () => {
  const { store, tenantId, decide } = await openPair();
  for (const nth of [0, 1]) await decide(nth, note);
  const tenant = store.tenants.get(tenantId);
  if (!tenant) throw new Error('expected a tenant');
  tenant.head = { ...tenant.head, encrypts: 7 };
  await expect(decide(0, note)).rejects.toMatchObject({ code: 'unavailable' });
  expect(tenant.head).toMatchObject({ id: 2, encrypts: 7 });
});

test('a judgement that fails, and one whose content the store refuses, fail alone', async () => {
  let isFull = false;
  const { decide, failures, verified } = await openPair({
    wait: async (step) => {
      if (step === 'commit' && isFull) throw new LinkRefused('full');
    },
  });
  const bug = new TypeError('a bug');
  const failing = decide(0, {
    judge: () => {
      throw bug;
    },
  });
  const others = [decide(0, countUp), decide(0, countUp)];
  await expect(failing).rejects.toBe(bug);
  expect((await Promise.all(others)).map(({ answer }) => answer)).toEqual([1, 2]);
  const refusedAlone = decide(0, {
    judge: () => {
      isFull = true;
      return { entries: [tenantDraft('tenant.update', {})], answer: 0 };
    },
  });
  await expect(refusedAlone).rejects.toMatchObject({ code: 'audit_unwritten' });
  isFull = false;
  expect((await decide(1, countUp)).answer).toBe(3);
  expect(failures).not.toEqual([]);
  expect(await verified()).toMatchObject({ valid: true });
});

test('a call that needs more rows from a store that hangs is answered at its deadline', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  let hangs = false;
  const { decide } = await openPair({ arrive: () => (hangs ? new Promise(() => {}) : Promise.resolve()) });
  await decide(0, note);
  hangs = true;
  const refused = vi.fn();
  void decide(0, { ...note, needs: () => [refTo(keys, keyId)], prepare: async () => {} }).catch(refused);
  // Its timer begins when what comes before has been read, which can take a turn of the event loop or several.
  await vi.waitFor(
    () => {
      vi.runAllTimers();
      expect(refused).toHaveBeenCalledWith(expect.objectContaining({ code: 'audit_unwritten' }));
    },
    { timeout: 120_000 },
  );
});

test('a decision that asks for more rows after each read is refused, and does not read for ever', async () => {
  let reads = 0;
  const { decide } = await openPair({
    arrive: async () => {
      reads++;
    },
  });
  await decide(0, note);
  let asked = 0;
  const growing = {
    ...look,
    reads: { snapshot: true } as const,
    needs: () => {
      asked++;
      return Array.from({ length: asked }, (_, nth) =>
        refTo(keys, `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`),
      );
    },
  };
  reads = 0;
  await expect(decide(0, growing)).rejects.toMatchObject({ code: 'unavailable' });
  expect(reads).toBe(4);
});

test('who leaves while the head is read again is not written', async () => {
  const gates: (() => void)[] = [];
  let isSlow = false;
  const gate = () => new Promise<void>((resolve) => void (isSlow ? gates.push(resolve) : resolve()));
  const arrived = (count: number) => vi.waitFor(() => expect(gates).toHaveLength(count));
  const { decide, forget, verified } = await openPair({ wait: gate, arrive: gate });
  await decide(0, note);
  isSlow = true;
  const first = decide(0, note);
  await arrived(1);
  const leaving = new AbortController();
  const refused = decide(0, note, { signal: leaving.signal }).catch((error: unknown) => error);
  const staying = decide(0, note);
  // What is remembered can go at any time, and is then read again for those that wait.
  forget(0);
  gates.shift()?.();
  await arrived(1);
  gates.shift()?.();
  await first;
  await arrived(1);
  leaving.abort();
  expect(await refused).toMatchObject({ code: 'audit_unwritten' });
  isSlow = false;
  for (const go of gates) go();
  await staying;
  expect(await verified()).toMatchObject({ valid: true, head: { id: 3 } });
});

test('a call never sees less than what was true when it came', async () => {
  const arrivals: (() => void)[] = [];
  let isSlow = false;
  const arrive = () => new Promise<void>((resolve) => void (isSlow ? arrivals.push(resolve) : resolve()));
  const { decide } = await openPair({ arrive });
  expect((await decide(0, countUp)).answer).toBe(1);
  expect((await decide(1, look)).answer).toBe(1);
  isSlow = true;
  const early = decide(1, look);
  await vi.waitFor(() => expect(arrivals).toHaveLength(1));
  await decide(0, countUp);
  const late = decide(1, look);
  isSlow = false;
  for (const go of arrivals) go();
  expect((await early).answer).toBe(1);
  expect((await late).answer).toBe(2);
});

test.each([
  ['its rows were forgotten', false, undefined],
  ['what it had prepared is gone', true, 'audit_unwritten'],
])('a link that was lost and lands late is not written once more, though %s', async (_, isGone, refused) => {
  let isLosing = false;
  let land = async (): Promise<unknown> => undefined;
  const pair = await openPair({
    wait: async (step) => void (step === 'answer' && (await land())),
    send: async (link) => {
      if (!isLosing) return link();
      isLosing = false;
      land = () => {
        land = async () => undefined;
        return link();
      };
      if (!isGone) pair.forget(0);
      throw new Error('the answer was lost');
    },
  });
  await pair.decide(0, countUp);
  isLosing = true;
  let judged = 0;
  const noteVersion = pair.decide(0, {
    judge(view) {
      const answer = view.find(keys, keyId)?.key_version;
      if (isGone && judged++ === 1) throw new Missing();
      return { entries: [tenantDraft('tenant.update', {})], answer };
    },
  });
  const end = await noteVersion.catch((error: unknown) => error);
  expect(end).toMatchObject(refused ? { code: refused } : { answer: 1 });
  expect(await pair.verified()).toMatchObject({ valid: true, head: { id: 2 } });
});

test('a log that lost an entry, and has another of the same id, goes on', async () => {
  let steps = 0;
  const { store, tenantId, decide, failures, verified } = await openPair({
    wait: async () => {
      if (++steps > 50) throw new LinkRefused('it was tried too often');
    },
  });
  for (const nth of [0, 1]) await decide(nth, note);
  const tenant = store.tenants.get(tenantId);
  const backup = tenant && { ...tenant, nonces: new Map(tenant.nonces) };
  const log = new Map(backup?.tables.get(entries.name));
  await decide(0, note);
  if (tenant) Object.assign(tenant, { head: backup?.head });
  tenant?.tables.set(entries.name, log);
  await decide(1, note, { actor: 'system' });
  await decide(0, note);
  expect(failures).toEqual(['went back']);
  expect(await verified()).toMatchObject({ valid: true, head: { id: 4 } });
});

type Pair = Awaited<ReturnType<typeof openPair>>;
const ends: Record<string, (pair: Pair) => unknown> = {
  'a verification': async ({ askToVerify }) => (await askToVerify(1)).answer,
  'a job that verifies, like the purge': ({ verified }) => verified(1),
  'ten minutes': () => vi.advanceTimersByTime(1_000) && { valid: true },
};
test.each(Object.entries(ends))(
  'a row that was put back for a moment counts no more after %s',
  async (_, end) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
    const pair = await openPair();
    const { store, tenantId, decide } = pair;
    const rows = () => store.tenants.get(tenantId)?.tables.get(keys.name);
    const ref = refTo(keys, keyId);
    await decide(0, countUp);
    const before = rows()?.get(ref);
    await decide(0, countUp);
    const now = rows()?.get(ref);
    if (!before || !now) throw new Error('expected two rows');
    rows()?.set(ref, before);
    expect((await decide(1, look)).answer).toBe(1);
    rows()?.set(ref, now);
    vi.advanceTimersByTime(599_000);
    expect((await decide(1, look)).answer).toBe(1);
    expect(await end(pair)).toMatchObject({ valid: true });
    expect((await decide(1, look)).answer).toBe(2);
  },
);

test('what a decision finds while it prepares is read row by row, before it is judged', async () => {
  const { decide } = await openPair();
  const ids = Array.from({ length: 6 }, (_, nth) => `${keyId.slice(0, -1)}${nth}`);
  let found: unknown[] | undefined;
  const answer = decide(0, {
    needs: () => [],
    prepare: async (view) => {
      found = ids.map((key_id) => view.find(keys, key_id));
    },
    judge: () => ({ entries: [], answer: prepared(found) }),
  });
  expect((await answer).answer).toHaveLength(6);
});
