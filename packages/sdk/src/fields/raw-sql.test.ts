import { expect, test } from 'vitest';
import { isNamed, withoutTexts } from './raw-sql.ts';

const isFound = (table: string, statement: string, isQuoted = false): boolean =>
  isNamed(table, withoutTexts(statement), isQuoted);

test.each([
  ['Order', 'select id from "Visit" order by id'],
  ['Group', 'select count(*) from "Visit" group by city'],
  ['order', 'select "orders".id from orders order by id'],
  ['user', "select current_setting('app.user')"],
  ['user', "select 'it''s the user', current_user"],
  ['user', "insert into visits values ('user') on conflict do nothing"],
  ['note', 'select id -- note: see ticket\n from visits'],
  ['note', 'select id /* note: it\'s "open */ from visits -- a note'],
  ['patients', 'select name from outpatients, patients_old'],
])('the name %s is not found in %s', (table, statement) => {
  expect(isFound(table, statement)).toBe(false);
});

test.each([
  ['Set', 'update "Visit" set city = $1 where id = $2'],
  ['Value', 'select s.value from "Setting" s'],
  ['User', 'select user, "Users".id from "Users"'],
])('a name %s that needs quotes is not found in %s', (table, statement) => {
  expect(isFound(table, statement, true)).toBe(false);
  expect(isFound(table, statement)).toBe(true);
});

test.each([
  ['Order', 'select * from "Order"'],
  ['Order', 'select * from `order` order by id'],
  ['Order', 'select * from [Order]'],
  ['order', 'select * from public.order'],
  ['order', 'select * from public . /* own */ order'],
  ['user', 'select * from user'],
  ['note', 'insert into note (text) values (1)'],
  ['patients', "select \"it's\", name from patients where city = 'Turin'"],
  ['patients', 'select `a -- b`, name from patients'],
  ['a.b', 'select * from "a.b"'],
])('the name %s is found in %s', (table, statement) => {
  expect(isFound(table, statement)).toBe(true);
});

// What is a text or a comment to one database hides a name from another one.
test.each([
  ["select 'it\\'s' from patients where city = 'x'"],
  ["select 'C:\\' from patients where city = 'x'"],
  ["select 1 # it's\n from patients where city = 'x'"],
  ["select 1 --it's\n from patients where city = 'x'"],
  ['select 5--1 from patients'],
  ['select 1 -- a\r from patients'],
  ["select /* a /* b */ it's */ name from patients where city = 'x'"],
  ['select 1 /*!50000 from patients */'],
  ['select 1 /*M! from patients */'],
  ["select $$ it's $$ from patients where city = 'x'"],
  ["select $a$ it's $a$ from patients where city = 'x'"],
  ["select [it's] from patients where city = 'x'"],
  ["select 1 where city = 'x from patients"],
  ['select 1 /* from patients'],
  ["do 'begin update patients set name = ''x''; end'"],
  ["prepare statement from 'select name from patients'"],
  ["execute immediate 'select name from patients'"],
])('a name is found where databases disagree, and in a text that one could run: %s', (statement) => {
  expect(isFound('patients', statement)).toBe(true);
});
