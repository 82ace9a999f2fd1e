import { FormatError } from '@eaas/protocol';
import type { Field } from '../fields/field.ts';

type Read = (text: string) => unknown;

const zoned = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d)(?::?(\d\d))?$/;

const reads: Readonly<Record<string, Read>> = {
  text: (text) => text,
  number(text) {
    const value = Number(text);
    const digits = text
      .replace(/e.*$/i, '')
      .replace(/\D/g, '')
      .replace(/^0+|0+$/g, '');
    const isExact = text.trim() !== '' && (digits.length <= 15 || String(value) === text);
    return isExact && (!Number.isNaN(value) || text === 'NaN')
      ? value
      : refuse('number', 'it has no exact number');
  },
  bigint: (text) => (/^-?\d+$/.test(text) ? BigInt(text) : refuse('bigint', 'it is no whole number')),
  boolean: (text) =>
    /^(?:t|true|1)$/.test(text) ||
    (!/^(?:f|false|0)$/.test(text) && refuse('boolean', 'it is neither true nor false')),
  date(text) {
    const [, day, time, sign = 'Z', minutes = '00'] = zoned.exec(text) ?? [];
    const iso = /^\d{4}-\d\d-\d\d$/.test(text)
      ? text
      : `${day}T${time}${sign === 'Z' ? sign : `${sign}:${minutes}`}`;
    const value = new Date(iso);
    return Number.isNaN(value.getTime())
      ? refuse('date', 'it is no date, and no time with a time zone')
      : value;
  },
  json(text) {
    try {
      return JSON.parse(text);
    } catch {
      return refuse('json', 'it is no JSON');
    }
  },
};

/** Reads a value from the text of its column in the database. The errors do not quote the text. */
export function readText({ type, previous }: Field<unknown>, text: string): unknown {
  if (!previous)
    return (reads[type.name] ?? (() => refuse(type.name, 'the type of the field has no text')))(text);
  try {
    return previous.read(text);
  } catch {
    throw new FormatError(
      'the function passed to `plaintext` threw an error for the stored value: let it read every text of the column, or correct the row',
    );
  }
}

function refuse(type: string, reason: string): never {
  throw new FormatError(
    `the stored value cannot be read as ${type}, because ${reason}: define the field with \`previous: ` +
      `plaintext(read)\`, where \`read\` converts the text of the column`,
  );
}
