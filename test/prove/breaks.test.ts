import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allBreaks, broken } from './breaks.ts';

const breaks = await allBreaks();

test.each(breaks)('the break $name has exactly one place in its file, and tests', (each) => {
  // If this fails after a refactoring, take the new text of the place into the table in test/prove/breaks.
  const source = readFileSync(each.file, 'utf8');
  expect(broken(source, each)).not.toBe(source);
  expect(each.tests.filter((path) => !existsSync(path))).toEqual([]);
  expect(each.tests).not.toEqual([]);
});

test('each break has its own name', () => {
  expect(new Set(breaks.map(({ name }) => name)).size).toBe(breaks.length);
});
