import { FormatError, InputError } from '@eaas/protocol';

/** Converts the values of one type to bytes and back, without loss. */
export interface ValueType<Value> {
  readonly name: string;
  /** Throws InputError for a value that changes when it is encoded and decoded. The message never contains the value. */
  encode(value: Value): Uint8Array<ArrayBuffer>;
  /** Throws FormatError for bytes that encode a value of another type. */
  decode(bytes: Uint8Array): Value;
}

/**
 * The type byte, which is the first byte of every encoded value except text. None of these bytes occurs in UTF-8. Text
 * therefore needs no type byte, and `client.decrypt` with `as: 'text'` can read text.
 */
const marks = { number: 0xf8, bigint: 0xf9, boolean: 0xfa, date: 0xfb, bytes: 0xfc, json: 0xfd } as const;

type Marked = keyof typeof marks;

export function markedBytes(type: Marked, payload: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(payload.length + 1);
  bytes[0] = marks[type];
  bytes.set(payload, 1);
  return bytes;
}

/** Returns the payload after the type byte. Throws FormatError for a wrong type byte or a wrong length. */
export function requireMark(type: Marked, bytes: Uint8Array, length?: number): Uint8Array {
  if (bytes[0] !== marks[type]) throw otherType(type, bytes);
  if (length !== undefined && bytes.length !== length + 1) throw unreadable(type);
  return bytes.subarray(1);
}

/** Creates the error for bytes of another type. The message contains both types but never the value. */
export function otherType(expected: string, bytes: Uint8Array): FormatError {
  const found = Object.entries(marks).find(([, mark]) => mark === bytes[0])?.[0] ?? 'text';
  return new FormatError(`the field has the type ${expected}, but the stored value has the type ${found}`);
}

export function unreadable(type: Marked): FormatError {
  return new FormatError(`the stored value has the type ${type}, but its bytes are not a valid ${type}`);
}

export function refuse(reason: string): never {
  throw new InputError(reason);
}

/** Throws InputError. The message contains the type of the value but never the value. */
export function refuseValue(expected: string, value: unknown): never {
  const got = value === null ? 'null' : `a value of type ${typeof value}`;
  return refuse(`expected ${expected}, got ${got}`);
}
