import { type Appended, type Link, LinkRefused } from '@eaas/service';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { timeLimit } from '../base/time-limit.ts';
import { Platform } from './platform.ts';
import { linkAfter, newHead, rowsOf } from './testing/made-links.ts';

type Answer = readonly (Appended | undefined)[];

const written: Appended = { outcome: 'written', time: 1 };
const failed: Appended = { outcome: 'clock', time: 0 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A platform whose statements are listed by the tenants in them, and answered by the test. */
function made() {
  const sent: string[][] = [];
  const statements: { resolve(answer: Answer): void; reject(error: Error): void }[] = [];
  const deadlines: number[] = [];
  const send = (tenantIds: string[], deadline: number) => {
    sent.push(tenantIds);
    deadlines.push(deadline - performance.now() - timeLimit(5_000));
    return new Promise<Answer>((resolve, reject) => void statements.push({ resolve, reject }));
  };
  const platform = new Platform({
    alone: async ({ tenantId }, deadline) => (await send([tenantId], deadline))[0] ?? failed,
    together: (leaving, deadline) =>
      send(
        leaving.map(({ tenantId }) => tenantId),
        deadline,
      ),
  });
  const ends: Record<string, unknown> = {};
  const append = (names: string, fields: Partial<Link> = {}) => {
    for (const name of names) {
      const link = { ...linkAfter({ head: newHead(), time: 1 }, ['{}']), ...fields };
      void platform.append(name, link).then(
        (appended) => {
          ends[name] = appended;
        },
        (error: unknown) => {
          ends[name] = error;
        },
      );
    }
  };
  const answer = async (nth: number, with_: Answer | Error) => {
    if (with_ instanceof Error) statements[nth]?.reject(with_);
    else statements[nth]?.resolve(with_);
    await vi.advanceTimersByTimeAsync(0);
  };
  const names = () => sent.map((tenantIds) => tenantIds.join(''));
  return { append, answer, ends, names, deadlines };
}

test('while two statements are under way, links wait, and leave together in the order of their arrival', async () => {
  const { append, answer, ends, names } = made();
  append('abcde');
  expect(names()).toEqual(['a', 'b']);
  await answer(1, [written]);
  append('b');
  expect(names().slice(2)).toEqual(['cde']);
  const moved: Appended = { outcome: 'moved', time: 2 };
  await answer(2, [written, moved, written]);
  expect(names().slice(3)).toEqual(['b']);
  expect(ends).toEqual({ b: written, c: written, d: moved, e: written });
});

test('a tenant whose link is refused alone leaves alone for ten seconds, so that it fails no statement of others', async () => {
  const { append, answer, ends, names } = made();
  append('abcd');
  await answer(0, [written]);
  const refused = new LinkRefused('an entry stands where its next should be');
  await answer(2, refused);
  await answer(3, [written]);
  await answer(4, refused);
  expect([names(), ends['d']]).toEqual([['a', 'b', 'cd', 'c', 'd'], refused]);

  append('acde');
  expect(names().slice(5)).toEqual(['a', 'd']);
  await answer(5, [written]);
  expect(names().slice(7)).toEqual(['ce']);
  await vi.advanceTimersByTimeAsync(10_000);
  await answer(7, [written, written]);

  append('abcd');
  await answer(8, [written]);
  expect(names().slice(8)).toEqual(['a', 'b', 'cd']);
});

test('what a shared statement left is sent alone, as is each after a refusal, and nothing after another error', async () => {
  const { append, answer, ends, names } = made();
  append('abcd');
  await answer(0, [written]);
  await answer(2, [written, undefined]);
  await answer(3, [{ outcome: 'clock', time: 3 }]);
  expect(names()).toEqual(['a', 'b', 'cd', 'd']);
  append('efg');
  await answer(4, [written]);
  await answer(5, new LinkRefused('one of both'));
  expect(names().slice(4)).toEqual(['e', 'fg', 'f', 'g']);
  const [refused, lost] = [new LinkRefused('g'), new Error('lost')];
  await answer(6, [written]);
  await answer(7, refused);
  append('hijk');
  await answer(8, [written]);
  await answer(9, lost);
  expect(names().slice(8)).toEqual(['h', 'ijk']);
  const [clock, no] = [{ outcome: 'clock', time: 3 }, written];
  expect(ends).toEqual({
    a: no,
    c: no,
    d: clock,
    e: no,
    f: no,
    g: refused,
    h: no,
    i: lost,
    j: lost,
    k: lost,
  });
});

test('a statement that is late holds up nobody, and gives way only once', async () => {
  const { append, answer, names } = made();
  append('abcd');
  await vi.advanceTimersByTimeAsync(timeLimit(100) - 1);
  expect(names()).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(1);
  expect(names().slice(2)).toEqual(['cd']);
  append('e');
  await answer(0, [written]);
  await answer(1, [written]);
  append('fg');
  expect(names().slice(3)).toEqual(['e']);
  await answer(3, [written]);
  expect(names().slice(4)).toEqual(['fg']);
});

test('a link with rows, a long one, and another of a tenant that waits go alone and at once', () => {
  const { append, names } = made();
  append('abc');
  append('r', { writes: [rowsOf('r').tenant()] });
  append('l', { seals: new Uint8Array(80 * 160) });
  append('c');
  expect(names()).toEqual(['a', 'b', 'r', 'l', 'c']);
});

test('so many leave together, and so many bytes', async () => {
  const { append, answer, names } = made();
  const all = String.fromCharCode(...Array.from({ length: 70 }, (_, nth) => 200 + nth));
  append(`ab${all}`);
  await answer(0, [written]);
  expect(names()[2]).toBe(all.slice(0, 64));
  append('uvwxyz', { seals: new Uint8Array(11_900) });
  await answer(1, [written]);
  await answer(
    2,
    Array.from({ length: 64 }, () => written),
  );
  expect(names().slice(3)).toEqual([`${all.slice(64)}uvwxy`, 'z']);
});

test('the time of a link counts from when it was there', async () => {
  const { append, answer, deadlines } = made();
  append('abc');
  await vi.advanceTimersByTimeAsync(90);
  await answer(0, [written]);
  expect(deadlines).toEqual([0, 0, -90]);
});
