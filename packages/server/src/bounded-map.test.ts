import { expect, test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

test('keeps what is used, and forgets the rest in time', () => {
  const map = new BoundedMap<number, string>(10);
  map.set(-1, 'used');
  map.set(-2, 'unused');
  for (let key = 0; key < 100; key++) {
    map.set(key, String(key));
    expect(map.get(-1)).toBe('used');
  }
  expect(map.get(-2)).toBeUndefined();
  expect([96, 97, 98, 99].map((key) => map.get(key))).toEqual(['96', '97', '98', '99']);
});

test('a new value takes the place of an old one, and what is deleted is gone from both generations', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  expect(map.get('a')).toBe(3);
  map.delete('a');
  map.delete('b');
  expect([map.get('a'), map.get('b')]).toEqual([undefined, undefined]);
});
