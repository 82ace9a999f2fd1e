import { afterEach, expect, test, vi } from 'vitest';
import { countUp, keyId, look, note, openPair } from '../../test/pair.ts';
import { LinkRefused } from './store.ts';
import { refTo } from './table.ts';
import { keys } from './tables.ts';

afterEach(() => void vi.useRealTimers());

const fakeTime = () => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
const never = () => new Promise<never>(() => {});

/** The code that a call is refused with, once it is. */
function refusalOf(call: Promise<unknown>) {
  const refused = vi.fn<(error: { readonly code?: string }) => void>();
  void call.catch(refused);
  return () => refused.mock.calls[0]?.[0].code;
}

test('each call of a store that hangs is refused at its own deadline', async () => {
  fakeTime();
  const { decide } = await openPair(async () => {}, undefined, never);
  const first = refusalOf(decide(0, note));
  await vi.advanceTimersByTimeAsync(1_000);
  const second = refusalOf(decide(0, note));
  await vi.advanceTimersByTimeAsync(599_000);
  expect([first(), second()]).toEqual(['audit_unwritten', undefined]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(second()).toBe('audit_unwritten');
});

test('what a call has waited for before counts', async () => {
  fakeTime();
  const { decide } = await openPair(async () => {}, undefined, never);
  const refused = refusalOf(decide(0, note, { since: performance.now() - 599_500 }));
  await vi.advanceTimersByTimeAsync(499);
  expect(refused()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(refused()).toBe('audit_unwritten');
});

test('two calls whose link lands late, after the store refused another, are written once', async () => {
  let sent = 0;
  let land: (() => Promise<unknown>) | undefined;
  const { decide, verified } = await openPair(
    async (step) => {
      if (step !== 'commit' || !land) return;
      const late = land;
      land = undefined;
      // It waits for the lock, so it lands after this refusal.
      void late();
      throw new LinkRefused('full');
    },
    undefined,
    async (link) => {
      if (++sent !== 2) return link();
      land = link;
      throw new Error('the answer was lost');
    },
  );
  await decide(0, note);
  await Promise.all([note, note, note].map((part) => decide(0, part)));
  expect(await verified()).toMatchObject({ valid: true, head: { id: 4 } });
});

test('a row that somebody altered is not replaced, though the replica remembers it as it was', async () => {
  const { store, tenantId, decide, failures } = await openPair(async () => {});
  await decide(0, countUp);
  const rows = store.tenants.get(tenantId)?.tables.get(keys.name);
  const ref = refTo(keys, keyId);
  const altered = { row: { ...rows?.get(ref)?.row, status: 'disabled' }, newest_rev: 1 };
  rows?.set(ref, altered);
  await expect(decide(0, countUp)).rejects.toMatchObject({ code: 'unavailable' });
  expect(failures).toEqual(['keys altered']);
  expect(rows?.get(ref)).toBe(altered);
});

test('a call whose rows go while others are read gets them all at once', async () => {
  let isQuiet = true;
  const { decide } = await openPair(
    async () => {},
    async () => {
      if (isQuiet) return;
      isQuiet = true;
      await decide(1, countUp);
      isQuiet = false;
    },
  );
  const find = (...ids: readonly string[]) =>
    decide<object>(0, {
      by: 'guess',
      needs: () => ids.map((id) => refTo(keys, id)),
      judge: (view) => ({ entries: [], answer: ids.map((id) => view.find(keys, id)?.key_version) }),
    });
  await decide(1, countUp);
  await find(keyId);
  await decide(1, countUp);
  isQuiet = false;
  expect((await find(keyId, '00000000-0000-4000-8000-000000000003')).answer).toEqual([
    expect.any(Number),
    undefined,
  ]);
});

test.each([
  ['an append', note],
  ['a read', look],
])(
  'a door that throws when it is told the answer of %s is reported once, and nothing is written again',
  async (_, part) => {
    const { decide, askBy, verified, failures } = await openPair(async () => {});
    const fault = new Error('of the door');
    const told = vi.fn(() => {
      throw fault;
    });
    await decide(0, note);
    const others = [decide(0, note)];
    askBy({ settled: told, failed: told }, part);
    others.push(decide(0, note));
    await Promise.all(others);
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce());
    expect(failures).toEqual([fault]);
    expect(await verified()).toMatchObject({ valid: true, head: { id: part === note ? 4 : 3 } });
  },
);
