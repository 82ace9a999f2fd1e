import { expect, onTestFinished, test, vi } from 'vitest';
import { lastUsed } from './last-used.ts';

test('the cache keeps as many entries as it may have, those that were used last', () => {
  const cache = lastUsed<number>(3);
  for (const [name, value] of Object.entries({ first: 1, second: 2, third: 3 })) cache.set(name, value);
  cache.get('first');
  cache.set('third', 30);
  cache.set('fourth', 4);
  expect([...cache.entries()]).toEqual([
    ['fourth', 4],
    ['third', 30],
    ['first', 1],
  ]);
});

test('an entry ends with its time, and no memory is reserved for entries', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1);
  onTestFinished(() => now.mockRestore());
  const cache = lastUsed<number>(3, 1_000);
  cache.set('first', 1);
  now.mockReturnValue(1_001);
  expect(cache.get('first')).toBe(1);
  now.mockReturnValue(1_002);
  expect(cache.get('first')).toBeUndefined();
  expect(cache.max).toBe(0);
});
