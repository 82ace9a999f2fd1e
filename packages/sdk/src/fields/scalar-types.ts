import { fromUtf8, toUtf8 } from '@eaas/protocol';
import { markedBytes, otherType, refuse, requireMark, unreadable, type ValueType } from './value-type.ts';

/** UTF-8, and nothing besides: lone surrogates are refused. */
export const textType: ValueType<string> = {
  name: 'text',
  encode: (value) => (typeof value === 'string' ? toUtf8(value) : refuse('is not text')),
  decode(bytes) {
    try {
      return fromUtf8(bytes);
    } catch {
      throw otherType('text', bytes);
    }
  },
};

/** IEEE 754 double precision, 8 bytes: NaN (one of them), the infinities and -0 come back as they were. */
export const numberType: ValueType<number> = {
  name: 'number',
  encode(value) {
    if (typeof value !== 'number') refuse('is not a number');
    const bytes = markedBytes('number', 8);
    const view = new DataView(bytes.buffer);
    // Which of the many NaNs setFloat64 writes is left to the engine.
    if (Number.isNaN(value)) view.setUint16(1, 0x7ff8);
    else view.setFloat64(1, value);
    return bytes;
  },
  decode: (bytes) => viewOf(requireMark('number', bytes, 8)).getFloat64(0),
};

/** A byte for the sign (0, or 1 below zero), then the magnitude, without leading zeros, of any length. */
export const bigintType: ValueType<bigint> = {
  name: 'bigint',
  encode(value) {
    if (typeof value !== 'bigint') refuse('is not a bigint');
    const digits = value === 0n ? '' : (value < 0n ? -value : value).toString(16);
    const pairs = (digits.length % 2 ? `0${digits}` : digits).match(/../g) ?? [];
    const bytes = markedBytes('bigint', pairs.length + 1);
    bytes[1] = value < 0n ? 1 : 0;
    for (const [at, pair] of pairs.entries()) bytes[at + 2] = Number.parseInt(pair, 16);
    return bytes;
  },
  decode(bytes) {
    const [sign, ...magnitude] = requireMark('bigint', bytes);
    const other = magnitude.length === 0 ? sign !== 0 : sign === undefined || sign > 1 || magnitude[0] === 0;
    if (other) throw unreadable('bigint');
    const digits = magnitude.map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const absolute = BigInt(`0x0${digits}`);
    return sign ? -absolute : absolute;
  },
};

/** One byte, 0 or 1. */
export const booleanType: ValueType<boolean> = {
  name: 'boolean',
  encode(value) {
    if (typeof value !== 'boolean') refuse('is not a boolean');
    const bytes = markedBytes('boolean', 1);
    bytes[1] = Number(value);
    return bytes;
  },
  decode(bytes) {
    const [value] = requireMark('boolean', bytes, 1);
    if (value !== 0 && value !== 1) throw unreadable('boolean');
    return value === 1;
  },
};

/** Milliseconds since 1970 as a signed integer of 8 bytes. An invalid Date is refused. */
export const dateType: ValueType<Date> = {
  name: 'date',
  encode(value) {
    if (!(value instanceof Date)) refuse('is not a Date');
    const time = value.getTime();
    if (Number.isNaN(time)) refuse('is an invalid Date');
    const bytes = markedBytes('date', 8);
    new DataView(bytes.buffer).setBigInt64(1, BigInt(time));
    return bytes;
  },
  decode(bytes) {
    const date = new Date(Number(viewOf(requireMark('date', bytes, 8)).getBigInt64(0)));
    if (Number.isNaN(date.getTime())) throw unreadable('date');
    return date;
  },
};

/** The bytes as they are; they come back as a Uint8Array of their own. */
export const bytesType: ValueType<Uint8Array> = {
  name: 'bytes',
  encode(value) {
    if (!(value instanceof Uint8Array)) refuse('is not a Uint8Array');
    const bytes = markedBytes('bytes', value.length);
    bytes.set(value, 1);
    return bytes;
  },
  decode: (bytes) => new Uint8Array(requireMark('bytes', bytes)),
};

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
