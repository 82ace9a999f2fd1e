import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { Lookups } from './lookups.ts';

beforeEach(() => {
  setTimeLimits(1);
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

type Answer = (found: ReadonlyMap<string, number>) => void;

function watched(most: number) {
  const asked: string[] = [];
  const answers: Answer[] = [];
  const lookups = new Lookups<number>((keys) => {
    asked.push(keys.join(''));
    return new Promise((resolve) => answers.push(resolve));
  }, most);
  const answer = (found: Record<string, number> = {}) => {
    answers.shift()?.(new Map(Object.entries(found)));
    return vi.advanceTimersByTimeAsync(0);
  };
  return { lookups, asked, answer };
}

test('the first key is looked up at once, and all keys that arrive meanwhile in the next query', async () => {
  const { lookups, asked, answer } = watched(100);
  const found = Promise.all(Array.from('abca', (key) => lookups.find(key)));
  expect(asked).toEqual(['a']);
  expect(lookups.counts).toEqual({ held: 1, waiting: 3, refused: 0 });
  await answer({ a: 1 });
  expect(asked).toEqual(['a', 'bca']);
  await answer({ a: 2, c: 3 });
  expect(await found).toEqual([1, undefined, 3, 2]);
  expect(lookups.counts).toEqual({ held: 0, waiting: 0, refused: 0 });
});

test('a query looks up a limited number of keys, in their order', async () => {
  const { lookups, asked, answer } = watched(2);
  const found = Promise.all(Array.from('abcde', (key) => lookups.find(key)));
  for (let nth = 0; nth < 4; nth++) await answer({ e: 5 });
  expect(asked).toEqual(['a', 'bc', 'de']);
  expect(await found).toEqual([undefined, undefined, undefined, undefined, 5]);
});

test('a key that has waited for two seconds is refused, and is not looked up', async () => {
  const { lookups, asked, answer } = watched(100);
  const first = lookups.find('a');
  const second = lookups.find('b').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await second).toMatchObject({ code: 'unavailable' });
  expect(lookups.counts).toEqual({ held: 1, waiting: 0, refused: 1 });
  await answer({ a: 1 });
  expect(await first).toBe(1);
  expect(asked).toEqual(['a']);
});

test('a query that fails fails for its keys only', async () => {
  let fails = true;
  const lookups = new Lookups<number>(async () => {
    if (fails) throw new Error('away');
    return new Map([['b', 2]]);
  }, 100);
  await expect(lookups.find('a')).rejects.toThrow('away');
  fails = false;
  expect(await lookups.find('b')).toBe(2);
});
