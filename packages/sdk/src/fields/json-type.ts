import { fromUtf8, toUtf8 } from '@eaas/protocol';
import { markedBytes, refuse, requireMark, unreadable, type ValueType } from './value-type.ts';

/** Far more than data has, and far less than the stack. */
const maxDepth = 500;

/**
 * JSON that reads back as what was given: what JSON.stringify would drop or change (undefined, functions, a Date, a Map,
 * NaN, a hole) is refused instead. The members keep their order, -0 its sign.
 */
export const jsonType: ValueType<unknown> = {
  name: 'json',
  encode(value) {
    const text = toUtf8(toJson(value, []));
    const bytes = markedBytes('json', text.length);
    bytes.set(text, 1);
    return bytes;
  },
  decode(bytes) {
    const text = requireMark('json', bytes);
    try {
      return JSON.parse(fromUtf8(text));
    } catch {
      // Without a cause: the parser's message quotes the value.
      throw unreadable('json');
    }
  },
};

function toJson(value: unknown, around: readonly unknown[]): string {
  if (value === null || typeof value === 'boolean') return String(value);
  // Escapes lone surrogates, so they come back too.
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object') return refuse(`holds ${nameOf(value)}, which JSON cannot say${hint(value)}`);
  if (around.includes(value)) return refuse('holds itself: JSON cannot say a cycle');
  if (around.length >= maxDepth) return refuse(`is nested deeper than ${maxDepth}`);
  const inside = [...around, value];
  if (Array.isArray(value)) {
    // As many names as places are not enough: there can be a hole and a member of its own.
    const names = Object.keys(value);
    const isList = names.length === value.length && names.every((name, at) => name === String(at));
    if (!isList) refuse('holds an array with holes or members of its own');
    return `[${value.map((item) => toJson(item, inside)).join()}]`;
  }
  if (!isPlain(value)) return refuse('holds an instance of a class (Date, Map …): give it as plain data');
  const members = Object.entries(value);
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${toJson(item, inside)}`).join()}}`;
}

/** Made by `{}`, in whichever realm, or without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  return typeof value === 'number' ? 'NaN or an infinity' : `a ${typeof value}`;
}

function hint(value: unknown): string {
  if (value === undefined) return ': leave the member out, or say null';
  return typeof value === 'bigint' ? ': write it as text' : '';
}
