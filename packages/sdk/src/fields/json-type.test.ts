import { InputError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { jsonType } from './value-types.ts';

const cycle: unknown[] = [];
cycle.push({ inside: cycle });
const deep = (levels: number): unknown => (levels === 0 ? 1n : { inside: deep(levels - 1) });

test.each<[string, unknown, string]>([
  ['undefined', undefined, 'undefined: use null'],
  ['undefined in a list', { tags: [1, undefined, 'secret'] }, 'undefined in `[…][1]`: use null'],
  ['an extra member of a list', Object.assign([1], { name: 'secret' }), 'extra members'],
  ['as many extra members as holes', Object.assign([, 1], { name: 'secret' }), 'holes'], // oxlint-disable-line no-sparse-arrays
  ['a function', { of: { it: () => 1 }, note: 'secret' }, 'a function in `[…][…]`: omit it'],
  ['a bigint', { list: [{ n: 1n }] }, 'a bigint in `[…][0][…]`: use text'],
  ['a member whose name can be data', { secret: { n: 1n } }, 'a bigint in `[…][…]`'],
  ['a member far inside', deep(30), '…`: use text'],
  ['NaN', [Number.NaN], 'NaN or Infinity'],
  ['a Date', { born: new Date(0) }, 'instance of a class (Date, Map …) in `[…]`'],
  ['bytes', new Uint8Array(2), 'instance of a class'],
  ['a member named by a symbol', { [Symbol('secret')]: 1 }, 'instance of a class'],
  ['a cycle', cycle, 'an object that contains itself'],
  ['too many levels', Array.from({ length: 600 }).reduce((inner) => [inner], 1), 'levels of nesting'],
])('a JSON field refuses %s without quoting the value', (_, value, reason) => {
  expect(() => jsonType.encode(value)).toThrow(reason);
  expect(() => jsonType.encode(value)).toThrow(InputError);
  expect(() => jsonType.encode(value)).not.toThrow('secret');
});

test('a JSON field omits members that are undefined, as JSON.stringify does', () => {
  const value = {
    tags: ['a'],
    allergies: undefined,
    doctor: { name: 'Ada', phone: undefined },
    list: [{ a: undefined }],
  };
  const bytes = jsonType.encode(value);
  expect(new TextDecoder().decode(bytes.subarray(1))).toBe(JSON.stringify(value));
  const back = jsonType.decode(bytes) as typeof value;
  expect(Object.keys(back)).toEqual(['tags', 'doctor', 'list']);
  expect(Object.keys(back.doctor)).toEqual(['name']);
});

test('a JSON field accepts a value in which an object occurs twice', () => {
  const twin = { a: 1 };
  expect(jsonType.decode(jsonType.encode([twin, twin]))).toEqual([{ a: 1 }, { a: 1 }]);
});

test('JSON fields preserve lone surrogates, objects without a prototype and a member called __proto__', () => {
  expect(jsonType.decode(jsonType.encode('\ud800'))).toBe('\ud800');
  const bare = Object.assign(Object.create(null) as object, { a: 1 });
  expect(jsonType.decode(jsonType.encode(bare))).toEqual({ a: 1 });
  const polluting: unknown = JSON.parse('{"__proto__":{"polluted":1}}');
  const back = jsonType.decode(jsonType.encode(polluting)) as object;
  expect(Object.keys(back)).toEqual(['__proto__']);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
