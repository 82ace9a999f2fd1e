import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { factsOf } from './seam-facts.ts';

const { facts: judged } = JSON.parse(readFileSync(`${import.meta.dirname}/seams.json`, 'utf8')) as {
  readonly facts: object;
};

test('every seam is found in the installed Drizzle, and those of the judged candidate are others', () => {
  const facts = factsOf(import.meta.dirname);
  expect(Object.values(facts).filter((fact) => String(fact).startsWith('throws '))).toEqual([]);
  expect(Object.keys(judged)).toEqual(Object.keys(facts));
  expect(judged).toMatchObject({
    'sql.instanceof': true,
    'drivers.effect': expect.arrayContaining(['effect-postgres']) as unknown,
  });
  expect(facts).toMatchObject({ 'sql.instanceof': false, 'drivers.effect': [] });
  for (const dialect of ['pg', 'mysql', 'sqlite']) {
    expect(facts).toHaveProperty([`${dialect}.table.symbols`, 'length'], 7);
    expect(facts).toHaveProperty([`${dialect}.table.constraints`], [['id', 'name'], ['name']]);
  }
  expect(facts).toHaveProperty(['pg.PgDialect'], '"name" is null');
});
