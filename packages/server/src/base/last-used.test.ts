import { expect, test } from 'vitest';
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
