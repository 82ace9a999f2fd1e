import { FormatError, InputError } from '@eaas/protocol';
import { kindOf } from '@eaas/protocol/internal-options';

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

export function markedBytes(type: Marked, payload: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(payload.length + 1);
  bytes[0] = marks[type];
  bytes.set(payload, 1);
  return bytes;
}

export function requireMark(type: Marked, bytes: Uint8Array, length?: number): Uint8Array {
  if (bytes[0] !== marks[type]) throw otherType(type, bytes);
  if (length !== undefined && bytes.length !== length + 1) throw unreadable(type);
  return bytes.subarray(1);
}

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

/** The error never contains the value, which might be secret. */
export function refuseValue(expected: string, value: unknown): never {
  return refuse(`expected ${expected}, got ${kindOf(value)}`);
}
