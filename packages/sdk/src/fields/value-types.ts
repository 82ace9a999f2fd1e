// Turns the values of fields into bytes and back. All but texts carry a mark of their type, so that none is read as another.
import {
  attempt,
  FormatError,
  fromHex,
  fromUtf8,
  InputError,
  isBytes,
  isDate,
  isPromise,
  kindOf,
  toHex,
  toUtf8,
} from '@eaas/protocol/internal';

import type { Field } from './field.ts';

export const textType: ValueType<string> = {
  name: 'text',
  encode: (value) => (typeof value === 'string' ? toUtf8(value) : refuseValue('a string', value)),
  decode(bytes) {
    const text = attempt(() => fromUtf8(bytes));
    if (text === undefined) throw otherType('text', bytes);
    return text;
  },
};

export const numberType = /* @__PURE__ */ marked<number>(
  'number',
  (value) => {
    if (typeof value !== 'number') refuseValue('a number', value);
    const view = new DataView(new ArrayBuffer(8));
    // Writes the same bytes for every NaN, because NaN has many encodings and `setFloat64` can write any of them.
    if (Number.isNaN(value)) view.setUint16(0, 0x7ff8);
    else view.setFloat64(0, value);
    return new Uint8Array(view.buffer);
  },
  (payload) => viewOf(payload)?.getFloat64(0),
);

export const bigintType = /* @__PURE__ */ marked<bigint>(
  'bigint',
  (value) => {
    if (typeof value !== 'bigint') refuseValue('a bigint', value);
    const digits = value === 0n ? '' : (value < 0n ? -value : value).toString(16);
    const sign = value < 0n ? '01' : '00';
    return fromHex(sign + (digits.length % 2 ? `0${digits}` : digits));
  },
  (payload) => {
    const [sign = 2, first] = payload;
    if (first === undefined ? sign !== 0 : sign > 1 || first === 0) return undefined;
    const absolute = BigInt(`0x0${toHex(payload.subarray(1))}`);
    return sign ? -absolute : absolute;
  },
);

export const booleanType = /* @__PURE__ */ marked<boolean>(
  'boolean',
  (value) => (typeof value === 'boolean' ? [Number(value)] : refuseValue('a boolean', value)),
  (payload) => (payload.length === 1 ? [false, true][Number(payload[0])] : undefined),
);

export const dateType = /* @__PURE__ */ marked<Date>(
  'date',
  (value) => {
    if (!isDate(value)) refuseValue('a Date', value);
    const time = value.getTime();
    if (Number.isNaN(time)) {
      refuse('expected a Date with a time, got an invalid Date: was a text parsed that is no date?');
    }
    const view = new DataView(new ArrayBuffer(8));
    view.setBigInt64(0, BigInt(time));
    return new Uint8Array(view.buffer);
  },
  (payload) => {
    const date = new Date(Number(viewOf(payload)?.getBigInt64(0)));
    return Number.isNaN(date.getTime()) ? undefined : date;
  },
);

export const bytesType = /* @__PURE__ */ marked<Uint8Array>(
  'bytes',
  (value) => (isBytes(value) ? value : refuseValue('a Uint8Array', value)),
  (payload) => new Uint8Array(payload),
);

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView | undefined {
  return length === 8 ? new DataView(buffer, byteOffset) : undefined;
}

const maxDepth = 500;

/**
 * Encodes and decodes JSON values. Omits a member of an object that is undefined, as `JSON.stringify` does: reading the
 * member returns undefined again. Throws for every other value that `JSON.stringify` would drop or change without an
 * error: undefined in an array, functions, a Date, a Map, NaN and holes in arrays. The error has the path of the member,
 * with only those names that look like identifiers, because other names can be data.
 */
export const jsonType = /* @__PURE__ */ marked<unknown>(
  'json',
  (value) => toUtf8(toJson(value, [], [])),
  // Without the parser's error, because the parser's message quotes the value.
  (payload) => attempt((): unknown => JSON.parse(fromUtf8(payload))),
);

/** `path` leads to the value. The function changes it while it runs, because a new array for each member is slow. */
function toJson(value: unknown, around: readonly unknown[], path: (string | number)[]): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  if (value === undefined) return notJson('undefined', path, 'use null');
  if (typeof value === 'number') return notJson('NaN or Infinity', path, 'use null');
  if (typeof value === 'bigint') return notJson('a bigint', path, 'use text');
  if (typeof value !== 'object') return notJson(`a ${typeof value}`, path, 'omit it');
  if (around.includes(value)) {
    return notJson('an object that contains itself', path, 'pass a copy without the cycle');
  }
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

/** A type whose bytes begin with its mark. `decode` returns undefined for a payload that is none of this type. */
function marked<Value>(
  name: keyof typeof marks,
  encode: (value: Value) => ArrayLike<number>,
  decode: (payload: Uint8Array) => Value | undefined,
): ValueType<Value> {
  return {
    name,
    encode(value) {
      const payload = encode(value);
      const bytes = new Uint8Array(payload.length + 1);
      bytes[0] = marks[name];
      bytes.set(payload, 1);
      return bytes;
    },
    decode(bytes) {
      if (bytes[0] !== marks[name]) throw otherType(name, bytes);
      const value = decode(bytes.subarray(1));
      if (value !== undefined) return value;
      throw new FormatError(`the stored value has the type ${name}, but its bytes are not a valid ${name}`);
    },
  };
}

function otherType(expected: string, bytes: Uint8Array): FormatError {
  const found = Object.entries(marks).find(([, mark]) => mark === bytes[0])?.[0] ?? 'text';
  return new FormatError(`the field has the type ${expected}, but the stored value has the type ${found}`);
}

export function refuse(reason: string): never {
  throw new InputError(reason);
}

/** The error never contains the value, which might be secret. */
export function refuseValue(expected: string, value: unknown): never {
  return refuse(`expected ${expected}, got ${kindOf(value)}`);
}
