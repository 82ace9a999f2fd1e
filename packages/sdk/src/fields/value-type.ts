import { FormatError, InputError } from '@eaas/protocol';

/** How the values of one type become bytes, exactly, and come back. */
export interface ValueType<Value> {
  readonly name: string;
  /** The bytes. Throws InputError for what would not come back as it was; the message never holds the value. */
  encode(value: Value): Uint8Array<ArrayBuffer>;
  /** The value. Throws FormatError for the bytes of another type. */
  decode(bytes: Uint8Array): Value;
}

/**
 * The first byte of every value that is not text. None of them occurs anywhere in UTF-8, so text needs no mark: it is
 * what `client.encrypt` makes of a string and `client.decryptText` reads, and neither passes for the other.
 */
const marks = { number: 0xf8, bigint: 0xf9, boolean: 0xfa, date: 0xfb, bytes: 0xfc, json: 0xfd } as const;

type Marked = keyof typeof marks;

/** Room for a value of `length` bytes behind its type's mark. */
export function markedBytes(type: Marked, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length + 1);
  bytes[0] = marks[type];
  return bytes;
}

/** What stands behind the mark of this type; FormatError where there is another, or another length. */
export function requireMark(type: Marked, bytes: Uint8Array, length?: number): Uint8Array {
  if (bytes[0] !== marks[type]) throw otherType(type, bytes);
  if (length !== undefined && bytes.length !== length + 1) throw unreadable(type);
  return bytes.subarray(1);
}

/** The error for a value of another type than the definition's. It names both types and nothing of the value. */
export function otherType(expected: string, bytes: Uint8Array): FormatError {
  const found = Object.entries(marks).find(([, mark]) => mark === bytes[0])?.[0] ?? 'text';
  return new FormatError(`the value is stored as ${found}, and the definition says ${expected}`);
}

/** The error for bytes that have the mark of their type and do not go on as its values do. */
export function unreadable(type: Marked): FormatError {
  return new FormatError(`the value is marked as ${type} and is none`);
}

/** Throws the InputError for an argument that is not of the type. */
export function refuse(reason: string): never {
  throw new InputError(reason);
}
