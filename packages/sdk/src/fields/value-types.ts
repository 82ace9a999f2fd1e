// Turns the values of fields into bytes and back. All but texts carry a mark of their type, so that none is read as another.
import {
  FormatError,
  fromUtf8,
  InputError,
  isBytes,
  isDate,
  isPromise,
  kindOf,
  toUtf8,
} from '@eaas/protocol/internal';

import type { Field } from './field.ts';

export const textType: ValueType<string> = {
  name: 'text',
  encode: (value) => (typeof value === 'string' ? toUtf8(value) : refuseValue('a string', value)),
  decode(bytes) {
    try {
      return fromUtf8(bytes);
    } catch {
      throw otherType('text', bytes);
    }
  },
};

export const numberType: ValueType<number> = {
  name: 'number',
  encode(value) {
    if (typeof value !== 'number') refuseValue('a number', value);
    const view = new DataView(new ArrayBuffer(8));
    // Writes the same bytes for every NaN, because NaN has many encodings and `setFloat64` can write any of them.
    if (Number.isNaN(value)) view.setUint16(0, 0x7ff8);
    else view.setFloat64(0, value);
    return markedBytes('number', new Uint8Array(view.buffer));
  },
  decode: (bytes) => viewOf(requireMark('number', bytes, 8)).getFloat64(0),
};

export const bigintType: ValueType<bigint> = {
  name: 'bigint',
  encode(value) {
    if (typeof value !== 'bigint') refuseValue('a bigint', value);
    const digits = value === 0n ? '' : (value < 0n ? -value : value).toString(16);
    const pairs = (digits.length % 2 ? `0${digits}` : digits).match(/../g) ?? [];
    const sign = value < 0n ? '1' : '0';
    return markedBytes(
      'bigint',
      [sign, ...pairs].map((pair) => Number.parseInt(pair, 16)),
    );
  },
  decode(bytes) {
    const [sign, ...magnitude] = requireMark('bigint', bytes);
    const isOther =
      magnitude.length === 0 ? sign !== 0 : sign === undefined || sign > 1 || magnitude[0] === 0;
    if (isOther) throw unreadable('bigint');
    const digits = magnitude.map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const absolute = BigInt(`0x0${digits}`);
    return sign ? -absolute : absolute;
  },
};

export const booleanType: ValueType<boolean> = {
  name: 'boolean',
  encode: (value) =>
    typeof value === 'boolean' ? markedBytes('boolean', [Number(value)]) : refuseValue('a boolean', value),
  decode(bytes) {
    const [value] = requireMark('boolean', bytes, 1);
    if (value !== 0 && value !== 1) throw unreadable('boolean');
    return value === 1;
  },
};

export const dateType: ValueType<Date> = {
  name: 'date',
  encode(value) {
    if (!isDate(value)) refuseValue('a Date', value);
    const time = value.getTime();
    if (Number.isNaN(time)) refuse('expected a valid Date, got an invalid Date');
    const view = new DataView(new ArrayBuffer(8));
    view.setBigInt64(0, BigInt(time));
    return markedBytes('date', new Uint8Array(view.buffer));
  },
  decode(bytes) {
    const date = new Date(Number(viewOf(requireMark('date', bytes, 8)).getBigInt64(0)));
    if (Number.isNaN(date.getTime())) throw unreadable('date');
    return date;
  },
};

export const bytesType: ValueType<Uint8Array> = {
  name: 'bytes',
  encode: (value) => (isBytes(value) ? markedBytes('bytes', value) : refuseValue('a Uint8Array', value)),
  decode: (bytes) => new Uint8Array(requireMark('bytes', bytes)),
};

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

const maxDepth = 500;

/**
 * Encodes and decodes JSON values. Omits a member of an object that is undefined, as `JSON.stringify` does: reading the
 * member returns undefined again. Throws for every other value that `JSON.stringify` would drop or change without an
 * error: undefined in an array, functions, a Date, a Map, NaN and holes in arrays. The error has the path of the member,
 * with only those names that look like identifiers, because other names can be data.
 */
export const jsonType: ValueType<unknown> = {
  name: 'json',
  encode: (value) => markedBytes('json', toUtf8(toJson(value, [], []))),
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

/** `path` leads to the value. The function changes it while it runs, because a new array for each member is slow. */
function toJson(value: unknown, around: readonly unknown[], path: (string | number)[]): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  if (value === undefined) return notJson('undefined', path, 'use null');
  if (typeof value === 'number') return notJson('NaN or Infinity', path, 'use null');
  if (typeof value === 'bigint') return notJson('a bigint', path, 'use text');
  if (typeof value !== 'object') return notJson(`a ${typeof value}`, path, 'omit it');
  if (around.includes(value))
    return notJson('an object that contains itself', path, 'pass a copy without the cycle');
  if (around.length >= maxDepth) return refuse(`JSON must have at most ${maxDepth} levels of nesting`);
  const inside = [...around, value];
  if (Array.isArray(value)) {
    // Compares each property name with its position. The number of names does not show a hole: an array with one hole
    // and one extra member has as many names as an array without both.
    const names = Object.keys(value);
    const isList = names.length === value.length && names.every((name, at) => name === String(at));
    if (!isList) return notJson('a list with holes or extra members', path, 'use null for what is missing');
    return `[${value.map((item, at) => memberOf(item, at)).join()}]`;
  }
  if (!isPlain(value)) return notJson('an instance of a class (Date, Map …)', path, 'use plain data');
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${memberOf(item, name)}`).join()}}`;

  function memberOf(item: unknown, name: string | number): string {
    path.push(name);
    const text = toJson(item, inside, path);
    path.pop();
    return text;
  }
}

function notJson(what: string, path: readonly (string | number)[], advice: string): never {
  const place = pathOf(path);
  return refuse(`JSON cannot represent ${what}${place && ` in \`${place}\``}: ${advice}`);
}

/** Writes how deep a path goes, and its indexes. The names of members are a part of the value, such as a diagnosis. */
function pathOf(path: readonly unknown[]): string {
  const names = path.slice(0, 20).map((name) => (typeof name === 'number' ? `[${name}]` : '[…]'));
  return names.join('') + (path.length > names.length ? '…' : '');
}

/**
 * Returns the value that is encoded in `bytes`, or what the schema of the field makes of it. Throws FormatError if the
 * schema refuses a value that `isRead`, and otherwise InputError.
 */
export function valueIn(field: Field<unknown>, name: string, bytes: Uint8Array, isRead = false): unknown {
  const value = field.type.decode(bytes);
  if (!field.schema) return value;
  let isMistake = false;
  let problem = 'threw an error: let `validate` return `issues` instead';
  try {
    const given: unknown = field.schema['~standard'].validate(value);
    // A rejection that nobody handles ends a process of Node.
    if (isPromise(given)) Promise.resolve(given).catch(() => undefined);
    const result = Object(given) as { value?: unknown; issues?: { path?: unknown[] }[] };
    isMistake = !result.issues && !('value' in result);
    if (!result.issues && !isMistake) return result.value;
    const path = result.issues?.[0]?.path?.map((key) => (Object(key) as { key?: unknown }).key ?? key) ?? [];
    problem = isMistake
      ? `must return \`value\` or \`issues\` at once (got ${kindOf(given)}): leave asynchronous checks to the app`
      : `refuses \`${name}${pathOf(path)}\`: to see why, pass the value to the schema`;
  } catch {
    // Its error can quote the value. So can the messages of issues.
  }
  throw new (isRead && !isMistake ? FormatError : InputError)(`the schema of the field ${problem}`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}

export interface ValueType<Value> {
  readonly name: string;
  encode(value: Value): Uint8Array<ArrayBuffer>;
  decode(bytes: Uint8Array): Value;
}

/**
 * The first byte of each encoded value except text: it identifies the type of the value. Encoded text is only UTF-8, so
 * that `client.decrypt` can read text fields. UTF-8 never contains one of these type bytes, so text cannot be mistaken
 * for another type.
 */
const marks = { number: 0xf8, bigint: 0xf9, boolean: 0xfa, date: 0xfb, bytes: 0xfc, json: 0xfd } as const;

type Marked = keyof typeof marks;

function markedBytes(type: Marked, payload: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(payload.length + 1);
  bytes[0] = marks[type];
  bytes.set(payload, 1);
  return bytes;
}

function requireMark(type: Marked, bytes: Uint8Array, length?: number): Uint8Array {
  if (bytes[0] !== marks[type]) throw otherType(type, bytes);
  if (length !== undefined && bytes.length !== length + 1) throw unreadable(type);
  return bytes.subarray(1);
}

function otherType(expected: string, bytes: Uint8Array): FormatError {
  const found = Object.entries(marks).find(([, mark]) => mark === bytes[0])?.[0] ?? 'text';
  return new FormatError(`the field has the type ${expected}, but the stored value has the type ${found}`);
}

function unreadable(type: Marked): FormatError {
  return new FormatError(`the stored value has the type ${type}, but its bytes are not a valid ${type}`);
}

export function refuse(reason: string): never {
  throw new InputError(reason);
}

/** The error never contains the value, which might be secret. */
export function refuseValue(expected: string, value: unknown): never {
  return refuse(`expected ${expected}, got ${kindOf(value)}`);
}
