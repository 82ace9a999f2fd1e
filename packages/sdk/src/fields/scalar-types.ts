import { fromUtf8, toUtf8 } from '@eaas/protocol';
import { isBytes } from '@eaas/protocol/internal';
import { isDate } from '@eaas/protocol/internal-options';
import {
  markedBytes,
  otherType,
  refuse,
  refuseValue,
  requireMark,
  unreadable,
  type ValueType,
} from './value-type.ts';

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
