import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { coverageFile, coverageTable, uncovered } from './coverage.ts';

test('every sentence of the pages has a test', () => {
  expect(uncovered()).toStrictEqual([]);
});

test('coverage.md says which (else run `node --import tsx test/conformance/coverage.ts`)', () => {
  expect(readFileSync(coverageFile, 'utf8')).toBe(coverageTable());
});
