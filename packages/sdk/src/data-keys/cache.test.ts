import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { ServiceError } from '@eaas/protocol/internal';
import { DataKeyCache, type Lease } from './cache.ts';
import { type DerivedDataKey, partitionName } from './derive.ts';

const keyId = '00000000-0000-4000-8000-000000000001';
const maxAge = 1_000;

afterEach(() => void vi.useRealTimers());

const kinds = ['ask', 'ask', 'ask', 'answer', 'answer', 'fail', 'finish', 'drop', 'pass', 'jump'] as const;
const step = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(11), time: fc.nat(2 * maxAge) });
const people = ['ada', 'bob', undefined];

test('in any order of calls, answers, drops and ends, no call gets a data key that is dropped, old or wiped', async () => {
  const follow = async (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const cache = new DataKeyCache({ maxEntries: 2, maxAge });
    const keys: DerivedDataKey[] = [];
    const asked: { name: string; lease: Lease; answer: (key: DerivedDataKey) => void; fail: () => void }[] =
      [];
    const known = new Map<Lease, string | undefined>();
    const dropped = new Set<Lease>();
    const working: (() => void)[] = [];
    const calls: Promise<unknown>[] = [];
    const errors: unknown[] = [];
    const drop = (subject: string | true | undefined): void => {
      for (const [lease, of] of known) {
        if (subject === true || (of !== undefined && (subject ?? of) === of)) dropped.add(lease);
      }
      cache.drop(subject);
    };
    const ask = (subject: string | undefined, isAhead: boolean): void => {
      const name = `key of ${subject}`;
      const request = (lease: Lease) =>
        new Promise<DerivedDataKey>((answer, reject) => {
          const fail = () => reject(new ServiceError('unavailable', 'failed'));
          asked.push({ name, lease, answer, fail });
        });
      const lease =
        (!isAhead && cache.find(name)) || cache.arriving(name) || cache.request(name, subject, request);
      known.set(lease, subject);
      expect(dropped.has(lease)).toBe(false);
      expect(asked.filter((each) => each.name === name && !dropped.has(each.lease)).length).toBeLessThan(2);
      const since = isAhead ? undefined : lease.key?.createdAt;
      expect(Date.now() - (since ?? Date.now())).toBeLessThan(maxAge);
      // Nobody waits for a data key that is to replace another.
      if (isAhead) return;
      const work = async ({ values }: DerivedDataKey): Promise<void> => {
        expect(values.key).toBeDefined();
        await new Promise<void>((finish) => working.push(finish));
        expect(values.key).toBeDefined();
      };
      calls.push(lease.use(work, undefined, 0).catch((error: unknown) => errors.push(error)));
    };
    const answer = (at: number): void => {
      const values = { key: 'bytes', engine: { wipe: () => undefined } };
      keys.push({ values, createdAt: Date.now() } as unknown as DerivedDataKey);
      asked.splice(at % asked.length, 1)[0]?.answer(keys.at(-1) as DerivedDataKey);
    };
    for (const { kind, at, time } of steps) {
      if (kind === 'ask') ask(people[at % 3], at > 8);
      if (kind === 'answer' && asked.length > 0) answer(at);
      if (kind === 'fail') asked.splice(at, 1)[0]?.fail();
      if (kind === 'finish') working.splice(at, 1)[0]?.();
      if (kind === 'drop') drop([...people, true as const][at % 4]);
      if (kind === 'jump') vi.setSystemTime(Date.now() + time);
      await vi.advanceTimersByTimeAsync(kind === 'pass' ? time : 0);
    }
    cache.close();
    while (asked.length > 0) answer(0);
    await vi.advanceTimersByTimeAsync(0);
    for (const finish of working) finish();
    await Promise.all(calls);
    expect(errors.filter((error) => !/closed|failed/.test(String(error)))).toEqual([]);
    expect(keys.filter(({ values }) => values.key !== undefined)).toEqual([]);
    // Their number would count those of other files too, whose own timers can fire meanwhile.
    const timers = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));
    cleared.mockRestore();
    expect(Array.from(known.keys()).filter(({ expiry }) => expiry && !timers.has(expiry))).toEqual([]);
  };
  const orders = fc.array(step, { minLength: 10, maxLength: 60 });
  await fc.assert(fc.asyncProperty(orders, follow), { seed: 1, numRuns: runs(2_000) });
});

test('data keys with long names take at most 16 MiB, however few they are', async () => {
  const nameOf = (n: number) => {
    const subject = `${n}`.padStart(256, '0');
    return partitionName({ keyId, subject, wrapContext: { row: subject.repeat(15) } });
  };
  const cache = new DataKeyCache({ maxEntries: 10_000, maxAge: 300_000 });
  const values = {} as DerivedDataKey['values'];
  const derive = async () => ({ values, createdAt: Date.now() }) as DerivedDataKey;
  for (let n = 0; n < 2_000; n++) {
    await cache.request(nameOf(n), undefined, derive).use(() => undefined, undefined, 1_000);
  }
  const held = Array.from({ length: 2_000 }, (_, n) => n).filter((n) => cache.find(nameOf(n)));
  // A kilobyte for the data key, and two bytes for each character of its name.
  const most = Math.floor(16_780_000 / (1_024 + 2 * nameOf(0).length));
  expect([held.length, held[0], held.at(-1)]).toEqual([most, 2_000 - most, 1_999]);
  cache.close();
});
