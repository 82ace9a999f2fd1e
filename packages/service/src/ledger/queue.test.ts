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
  const { decide } = await openPair({ send: never });
  const first = refusalOf(decide(0, note));
  await vi.advanceTimersByTimeAsync(1_000);
  const second = refusalOf(decide(0, note));
  await vi.advanceTimersByTimeAsync(599_000);
  expect([first(), second()]).toEqual(['audit_unwritten', undefined]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(second()).toBe('audit_unwritten');
});

test('each call whose time is over while the store is slow is told, with its step and how long it has waited', async () => {
  fakeTime();
  const { decide, failures, steps } = await openPair({ send: never });
  const refused = [decide(0, note), decide(0, note, { since: performance.now() - 1_000 })].map(refusalOf);

  await vi.advanceTimersByTimeAsync(600_000);

  expect(refused.map((code) => code())).toEqual(['audit_unwritten', 'audit_unwritten']);
  const toldAfter = (time: number) =>
    `TimeIsOver: after ${time} ms, the time of a call was over; the database had not answered (append)`;
  expect(failures.map(String)).toEqual([toldAfter(599_000), toldAfter(600_000)]);
  expect(steps).toEqual(['append', 'append']);
});

test('a caller that leaves by itself is no failure', async () => {
  fakeTime();
  const { decide, failures } = await openPair({ send: never });
  const end = new AbortController();
  const refused = refusalOf(decide(0, note, { signal: end.signal }));
  end.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect([refused(), failures]).toEqual(['audit_unwritten', []]);
});

test('what a call has waited for before counts', async () => {
  fakeTime();
  const { decide } = await openPair({ send: never });
  const refused = refusalOf(decide(0, note, { since: performance.now() - 599_500 }));
  await vi.advanceTimersByTimeAsync(499);
  expect(refused()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(refused()).toBe('audit_unwritten');
});

test('two calls whose link lands late, after the store refused another, are written once', async () => {
  let sent = 0;
  let land: (() => Promise<unknown>) | undefined;
  const { decide, verified } = await openPair({
    wait: async (step) => {
      if (step !== 'commit' || !land) return;
      const late = land;
      land = undefined;
      // It waits for the lock, so it lands after this refusal.
      void late();
      throw new LinkRefused('full');
    },
    send: async (link) => {
      if (++sent !== 2) return link();
      land = link;
      throw new Error('the answer was lost');
    },
  });
  await decide(0, note);
  await Promise.all([note, note, note].map((part) => decide(0, part)));
  expect(await verified()).toMatchObject({ valid: true, head: { id: 4 } });
});

test.each([
  { name: 'at once', isLocked: false },
  { name: 'under the lock', isLocked: true },
])('a row that somebody altered is not replaced $name, though it is remembered', async ({ isLocked }) => {
  const { store, tenantId, decide, failures } = await openPair();
  await decide(0, countUp);
  const rows = store.tenants.get(tenantId)?.tables.get(keys.name);
  const ref = refTo(keys, keyId);
  const altered = { row: { ...rows?.get(ref)?.row, status: 'disabled' }, newest_rev: 1 };
  rows?.set(ref, altered);
  await expect(decide(0, countUp, { isLocked })).rejects.toMatchObject({ code: 'unavailable' });
  expect(failures).toEqual(['keys altered']);
  expect(rows?.get(ref)).toBe(altered);
});

test('a decision that replaces a row, and does not say that it can, writes nothing', async () => {
  const { decide, verified } = await openPair();
  await decide(0, countUp);
  await expect(decide(0, { judge: countUp.judge })).rejects.toMatchObject({ code: 'audit_unwritten' });
  expect((await decide(0, look)).answer).toBe(1);
  expect(await verified()).toMatchObject({ valid: true, head: { id: 1 } });
});

test.each([
  [10_000, 1],
  [10_001, 2],
])('a link that arrives %i ms after it was judged is sent %i times', async (late, times) => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  let sent = 0;
  const { decide } = await openPair({
    send: (link) => {
      if (sent++ === 0) vi.setSystemTime(Date.now() + late);
      return link();
    },
  });
  await decide(0, note);
  expect(sent).toBe(times);
});

test('a call whose rows go while others are read gets them all at once', async () => {
  let isQuiet = true;
  const { decide } = await openPair({
    arrive: async () => {
      if (isQuiet) return;
      isQuiet = true;
      await decide(1, countUp);
      isQuiet = false;
    },
  });
  const find = (...ids: readonly string[]) =>
    decide<object>(0, {
      reads: {},
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
    const { decide, askBy, verified, failures } = await openPair();
    const fault = new Error('of the door');
    const told = vi.fn(() => {
      throw fault;
    });
    await decide(0, note);
    const others = [decide(0, note)];
    askBy(told, part);
    others.push(decide(0, note));
    await Promise.all(others);
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce());
    expect(failures).toEqual([fault]);
    expect(await verified()).toMatchObject({ valid: true, head: { id: part === note ? 4 : 3 } });
  },
);

const unwritten = 'audit_unwritten';

test.each(['read', 'append', 'locked'] as const)(
  'a store that never answers a call (%s) holds up no later ones',
  async (name) => {
    fakeTime();
    const { decide, forget, silent, ledger } = await openPair();
    await decide(0, note);
    silent.add(name);
    if (name === 'read') forget(0);
    // One waits in the queue, where nobody has prepared for it.
    const refused = [0, 1].map(() => refusalOf(decide(0, note, { isLocked: name === 'locked' })));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(refused.map((code) => code())).toEqual([unwritten, unwritten]);
    expect(ledger.oldestWait).toBe(name === 'read' ? 0 : 600_000);
    silent.clear();
    await vi.advanceTimersByTimeAsync(600_100);
    expect(ledger.oldestWait).toBe(0);
    expect((await decide(0, note)).receipts.of(0).id).toBe(2);
  },
);

test('of calls that wait together, those that stay are written when one has left', async () => {
  let release: (() => void) | undefined;
  const { decide, verified } = await openPair({
    send: async (link) => {
      if (release === undefined) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return link();
    },
  });
  const end = new AbortController();
  const first = decide(0, note);
  await vi.waitFor(() => expect(release).toBeDefined());
  const leaving = decide(0, note, { signal: end.signal });
  const staying = [decide(0, note), decide(0, note)];
  end.abort();
  await expect(leaving).rejects.toMatchObject({ code: unwritten });
  release?.();

  await Promise.all([first, ...staying]);

  expect(await verified()).toMatchObject({ valid: true, head: { id: 3 } });
});

test('a lock that comes after all have left writes nothing for them', async () => {
  fakeTime();
  let [isHeld, free] = [false, (): void => {}];
  const { decide, verified } = await openPair({
    wait: async () => {
      if (isHeld) {
        await new Promise<void>((resolve) => {
          free = resolve;
        });
      }
    },
  });
  await decide(0, note);
  isHeld = true;
  const refused = refusalOf(decide(0, note, { isLocked: true }));
  await vi.advanceTimersByTimeAsync(1_300_000);
  expect(refused()).toBe(unwritten);
  isHeld = false;
  free();
  await decide(0, note);
  expect(await verified()).toMatchObject({ valid: true, head: { id: 2 } });
});

test('a store that always says at once that the clock is wrong is asked until the deadline', async () => {
  fakeTime();
  const { decide } = await openPair({ send: async () => ({ outcome: 'clock', time: Date.now() }) });
  const refused = refusalOf(decide(0, note, { since: performance.now() - 599_000 }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(refused()).toBe(unwritten);
});

test('a read that is old each time it arrives ends', async () => {
  fakeTime();
  let isOvertaken = false;
  const { decide } = await openPair({
    arrive: async () => {
      if (!isOvertaken) return;
      isOvertaken = false;
      await decide(0, countUp);
      vi.advanceTimersByTime(350_000);
      isOvertaken = true;
    },
  });
  await decide(0, countUp);
  isOvertaken = true;
  await expect(decide(0, look)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a decision that was lost, and needs other rows each time it is judged, ends', async () => {
  let isLosing = true;
  let nth = 0;
  const { decide } = await openPair({
    send: async (link) => {
      if (!isLosing) return link();
      isLosing = false;
      throw new Error('the answer was lost');
    },
  });
  const restless: typeof note = {
    judge(view) {
      if (!isLosing) view.find(keys, String(nth++));
      return note.judge(view, null);
    },
  };
  await expect(decide(0, restless)).rejects.toMatchObject({ code: unwritten });
});

test('whoever runs the service is told at which step an append failed', async () => {
  let faults = 3;
  const { decide, steps } = await openPair({
    wait: async (step) => {
      if (faults < 3 && step === (faults === 2 ? 'read' : 'commit') && faults-- > 0) {
        throw new Error('broken');
      }
    },
    send: async (link) => {
      if (faults-- === 3) throw new Error('lost');
      return link();
    },
  });
  await decide(0, note);
  expect(steps).toEqual(['append', 'lock', 'append under lock']);
});
