import { type Column, sql } from 'drizzle-orm';
import { char as mysqlChar, mysqlTable, varchar as mysqlVarchar } from 'drizzle-orm/mysql-core';
import {
  bigint,
  char,
  customType,
  date,
  integer,
  numeric,
  pgEnum,
  pgTable,
  text,
  timestamp,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { storedIn } from './id-form.ts';

const custom = (type: string) => customType<{ data: string }>({ dataType: () => type })();
const prefixed = customType<{ data: string; driverData: string }>({
  dataType: () => 'uuid',
  toDriver: (id) => id.replace('row_', ''),
  fromDriver: (id) => `row_${id}`,
});

const pg = pgTable('rows', {
  citext: custom('citext'),
  slot: custom('time_slot'),
  customText: custom('text'),
  collated: custom('text collate ignoring_case'),
  prefixed: prefixed(),
  scaled: numeric({ precision: 9, scale: 2 }),
  date: date({ mode: 'string' }),
  timestamp: timestamp({ mode: 'string' }),
  varchar: varchar({ length: 9 }),
  mood: pgEnum('date', ['a'])(),
  uuid: uuid(),
  text: text(),
  integer: integer(),
  bigint: bigint({ mode: 'bigint' }),
  char: char({ length: 3 }),
});
const mysql = mysqlTable('rows', { varchar: mysqlVarchar({ length: 9 }), char: mysqlChar({ length: 9 }) });
const sqlite = sqliteTable('rows', { text: sqliteText() });
const id = '0a000000-0000-4000-8000-00000000000b';

test.each<[string, Column, unknown, unknown, boolean]>([
  ['a UUID in upper case', pg.uuid, id.toUpperCase(), id, true],
  ['a UUID in braces', pg.uuid, `{${id}}`, id, true],
  ['a UUID without hyphens', pg.uuid, id.replaceAll('-', ''), id, true],
  ['text', pg.text, 'a', 'a', true],
  ['an integer', pg.integer, 7, 7, true],
  ['the text of an integer with zeros', pg.integer, '-007', -7, true],
  ['the text of a bigint', pg.bigint, '007', 7n, true],
  ['text that is as long as its column', pg.char, 'abc', 'abc', true],
  ['text that is shorter', pg.char, 'ab', 'ab ', true],
  ['text of an enum whose name is a type', pg.mood, 'a', 'a', true],
  ['text that PostgreSQL compares without case', pg.citext, 'aB', 'aB', false],
  ['text of a type that nobody knows', pg.slot, 'a', 'a', false],
  ['a UUID that is compared without case', pg.citext, id.toUpperCase(), id.toUpperCase(), true],
  ['text with a collation', pg.collated, 'a', 'a', false],
  ['text of a type of the app', pg.customText, 'a', 'a', true],
  ['a UUID that the app stores without its prefix', pg.prefixed, `row_${id}`, `row_${id}`, true],
  ['a decimal number', pg.scaled, '1.50', undefined, false],
  ['a date', pg.date, '2024-02-29', '2024-02-29', true],
  ['a time', pg.timestamp, '2024-02-29T00:00', undefined, false],
  ['text that MySQL compares without case', mysql.varchar, 'AB', 'AB', false],
  ['text that ends with a space in MySQL', mysql.char, 'ab ', undefined, false],
  ['text in SQLite', sqlite.text, 'AB', 'AB', true],
  ['what only SQL knows', pg.text, sql`1`, undefined, false],
])('ciphertexts are bound to the id that the database returns: %s', (_, column, given, stored, isExact) => {
  expect(storedIn(column, given)).toEqual({ id: stored, isExact });
});
