import { char as mysqlChar, int, mysqlTable, varchar } from 'drizzle-orm/mysql-core';
import { bigint, char, integer, numeric, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { integer as sqliteInteger, sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { findsSameForm, keepsForm } from './id-form.ts';

const pg = pgTable('rows', {
  uuid: uuid(),
  text: text(),
  integer: integer(),
  bigint: bigint({ mode: 'bigint' }),
  numeric: numeric(),
  char: char({ length: 3 }),
});
const mysql = mysqlTable('rows', {
  varchar: varchar({ length: 9 }),
  char: mysqlChar({ length: 9 }),
  int: int(),
});
const sqlite = sqliteTable('rows', { text: sqliteText(), integer: sqliteInteger() });
const id = '0a000000-0000-4000-8000-00000000000b';

test.each([
  ['a UUID', pg.uuid, id, true],
  ['a UUID in upper case', pg.uuid, id.toUpperCase(), true],
  ['a UUID in braces', pg.uuid, `{${id}}`, false],
  ['text', pg.text, 'a', true],
  ['an integer', pg.integer, 7, true],
  ['a bigint', pg.bigint, 7n, true],
  ['the text of an integer', pg.integer, '007', false],
  ['a decimal number', pg.numeric, '1.5', false],
  ['padded text', pg.char, 'ab', false],
  ['text that MySQL compares without case', mysql.varchar, 'AB', false],
  ['a UUID as text in MySQL', mysql.varchar, id, true],
  ['an integer in MySQL', mysql.int, 7, true],
  ['text in SQLite', sqlite.text, 'AB', true],
  ['the text of an integer in SQLite', sqlite.integer, '007', false],
])('a condition with an id finds only rows with the same form: %s', (_, column, value, expected) => {
  expect(findsSameForm(column, value)).toBe(expected);
});

test.each([
  ['a UUID in upper case', pg.uuid, id.toUpperCase(), true],
  ['a UUID without hyphens', pg.uuid, id.replaceAll('-', ''), false],
  ['text', pg.text, '007', true],
  ['an integer', pg.integer, 7, true],
  ['the text of an integer', pg.integer, '-7', true],
  ['the text of an integer with zeros', pg.bigint, '007', false],
  ['text with padding', pg.char, 'ab ', true],
  ['text without padding', pg.char, 'ab', false],
  ['text in MySQL', mysql.char, 'ab', true],
])('the database keeps the form of an id: %s', (_, column, value, expected) => {
  expect(keepsForm(column, value)).toBe(expected);
});
