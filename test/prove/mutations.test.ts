import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutations } from './mutations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const changes = mutations.flatMap(({ name, changes: all }) => all.map((change) => ({ name, ...change })));

test.each(changes)('the mutation $name changes exactly one place in its source file', ({ file, search }) => {
  const source = readFileSync(root + file, 'utf8');
  // If the next assertion fails, update the file and the text of this mutation in mutations.ts.
  expect({ file, search, times: source.split(search).length - 1 }).toEqual({ file, search, times: 1 });
});

test('each mutation has a unique name and changes the source code', () => {
  expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
  expect(changes.filter(({ search, replace }) => search === replace)).toEqual([]);
});

test('each test that a mutation names exists', () => {
  const named = mutations.flatMap(({ fails }) => Object.entries(fails));
  const missing = named
    .filter(([judge]) => judge.endsWith('.test.ts'))
    .flatMap(([file, titles]) => {
      const source = readFileSync(root + file, 'utf8');
      return titles.filter((title) => !source.includes(title)).map((title) => `${file}: ${title}`);
    });
  expect(missing).toEqual([]);
});
