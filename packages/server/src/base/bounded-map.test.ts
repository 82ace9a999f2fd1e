import { expect, test } from 'vitest';
import { BoundedMap, Budget } from './bounded-map.ts';

test('a bounded map removes entries that are not read for some time', () => {
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

test('a bounded map has only the newest value of a key', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  expect(map.get('a')).toBe(3);
  map.delete('a');
  map.delete('b');
  expect([map.get('a'), map.get('b')]).toEqual([undefined, undefined]);
});

test('several bounded maps together stay within the memory budget that they share', () => {
  const budget = new Budget(1_000);
  const cost = (value: string) => value.length;
  const [one, other] = [
    new BoundedMap<number, string>(budget, cost),
    new BoundedMap<number, string>(budget, cost),
  ];
  const held = (map: BoundedMap<number, string>) =>
    Array.from({ length: 300 }, (_, key) => map.get(key)?.length ?? 0).reduce((sum, size) => sum + size, 0);
  for (let key = 0; key < 300; key++) {
    one.set(key, 'x'.repeat(10));
    other.set(key, 'x'.repeat(30));
    one.set(0, 'used');
  }
  const sizes = [held(one), held(other)];
  expect(sizes[0]).toBeGreaterThan(0);
  expect(sizes[1]).toBeGreaterThan(0);
  expect((sizes[0] ?? 0) + (sizes[1] ?? 0)).toBeLessThanOrEqual(1_000);
  expect(one.get(0)).toBe('used');
});

test('a bounded map updates its total size when a value grows or is deleted', () => {
  const map = new BoundedMap<string, { size: number }>(100, ({ size }) => size);
  const growing = { size: 1 };
  map.set('growing', growing);
  growing.size = 40;
  map.set('growing', growing);
  for (let nth = 0; nth < 50; nth++) {
    map.set(`deleted ${nth}`, { size: 10 });
    map.delete(`deleted ${nth}`);
  }
  expect(map.get('growing')).toBe(growing);
  map.set('next', { size: 20 });
  map.set('last', { size: 40 });
  expect(map.get('growing')).toBeUndefined();
});
