import { fromUtf8, toUtf8 } from '@eaas/protocol';
import { markedBytes, refuse, requireMark, unreadable, type ValueType } from './value-type.ts';

const maxDepth = 500;

/**
 * Encodes and decodes JSON values. Omits a member of an object that is undefined, as `JSON.stringify` does: reading the
 * member returns undefined again. Throws for every other value that `JSON.stringify` would drop or change without an
 * error: undefined in an array, functions, a Date, a Map, NaN and holes in arrays.
 */
export const jsonType: ValueType<unknown> = {
  name: 'json',
  encode: (value) => markedBytes('json', toUtf8(toJson(value, []))),
  decode(bytes) {
    const text = requireMark('json', bytes);
    try {
      return JSON.parse(fromUtf8(text));
    } catch {
      // Replaces the parser's error, because the parser's message quotes the value.
      throw unreadable('json');
    }
  },
};

function toJson(value: unknown, around: readonly unknown[], place = ''): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  if (value === undefined) return refuse(`JSON cannot represent undefined${place}: use null`);
  if (typeof value === 'number') return refuse('JSON cannot represent NaN or Infinity: use null');
  if (typeof value === 'bigint') return refuse('JSON cannot represent a bigint: use text');
  if (typeof value !== 'object') return refuse(`JSON cannot represent a ${typeof value}: omit it`);
  if (around.includes(value)) return refuse('JSON cannot represent an object that contains itself');
  if (around.length >= maxDepth) return refuse(`JSON must have at most ${maxDepth} levels of nesting`);
  const inside = [...around, value];
  if (Array.isArray(value)) {
    // Compares each property name with its position. The number of names does not show a hole: an array with one hole
    // and one extra member has as many names as an array without both.
    const names = Object.keys(value);
    const isList = names.length === value.length && names.every((name, at) => name === String(at));
    if (!isList) refuse('JSON cannot represent a list with holes or extra members');
    return `[${value.map((item, at) => toJson(item, inside, ` in a list (item ${at})`)).join()}]`;
  }
  if (!isPlain(value)) {
    return refuse('JSON cannot represent an instance of a class (Date, Map …): use plain data');
  }
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${toJson(item, inside)}`).join()}}`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}
