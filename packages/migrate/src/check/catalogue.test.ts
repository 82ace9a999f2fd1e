import { expect, test } from 'vitest';
import { checksIn, plain } from './catalogue.ts';

const failing = (condition: string, path = "'c'", end = 'end') =>
  `create index c on t (name) where case when not (${condition}) then json_extract(json_quote(name), ${path}) ${end}`;
const form = "check (name glob 'eaasA*')";
const inMySql = "check (`name` like cast('eaasA%' as binary))";
const printed = "CHECK ((`name` like cast(_utf8mb4'eaasA%' as char charset binary)))";

test.each([
  // As MySQL 8 prints it, which no other test does.
  [true, inMySql, printed],
  [false, inMySql, `${printed} /*!80016 NOT ENFORCED */`],
  [false, inMySql, printed.replace('char charset', 'char(3) charset')],
  [false, form, "check (a (b (c (precheck (name glob 'eaasA*')))))"],
  [false, form, failing("name glob 'eaasA*'", "'$'")],
  [false, form, failing("name glob 'eaasA*'", "'c'", 'end and id > 9')],
  [false, form, `create table t (name text -- ${form}\n)`],
  [false, form, `create table t (name text /* ${form} */)`],
  [false, form, "create table t (name text, check (name glob 'eaasA*' or id > 9))"],
])('%s: %s is in %s', (isIn, check, text) => {
  expect(checksIn(text).includes(plain(check))).toBe(isIn);
});
