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
import { findsSameForm, keepsForm } from './id-form.ts';

const custom = (type: string) => customType<{ data: string }>({ dataType: () => type })();
const prefixed = customType<{ data: string; driverData: string }>({
  dataType: () => 'uuid',
  toDriver: (id) => id.replace('row_', ''),
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

test.each([
  ['a UUID in upper case', pg.uuid, id.toUpperCase(), true],
  ['a UUID in braces', pg.uuid, `{${id}}`, false],
  ['text', pg.text, 'a', true],
  ['the text of an integer', pg.integer, '007', false],
  ['text that is as long as its column', pg.char, 'abc', true],
  ['text of an enum', pg.mood, 'a', true],
  ['text that PostgreSQL compares without case', pg.citext, 'ab', false],
  ['a UUID that the app stores without its prefix', pg.prefixed, `row_${id}`, true],
  ['padded text', pg.char, 'ab', false],
  ['text that MySQL compares without case', mysql.varchar, 'AB', false],
  ['text in SQLite', sqlite.text, 'AB', true],
])('a condition with an id finds only rows with the same form: %s', (_, column, value, expected) => {
  expect(findsSameForm(column, value)).toBe(expected);
});

test.each([
  ['a UUID in upper case', pg.uuid, id.toUpperCase(), true],
  ['a UUID without hyphens', pg.uuid, id.replaceAll('-', ''), false],
  ['an integer', pg.integer, 7, true],
  ['the text of an integer', pg.integer, '-7', true],
  ['the text of an integer with zeros', pg.bigint, '007', false],
  ['text without padding', pg.char, 'ab', false],
  ['text of citext', pg.citext, 'AB', true],
  ['a decimal number', pg.scaled, '1.50', false],
  ['a date', pg.date, '2024-02-29', true],
  ['a time', pg.timestamp, '2024-02-29T00:00', false],
  ['text of an enum whose name is a type', pg.mood, 'a', true],
  ['a UUID that the app stores without its prefix', pg.prefixed, `row_${id}`, true],
  ['text that ends with a space in MySQL', mysql.char, 'ab ', false],
])('the database keeps the form of an id: %s', (_, column, value, expected) => {
  expect(keepsForm(column, value)).toBe(expected);
});
