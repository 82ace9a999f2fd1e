import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { coverageFile, coverageTable, uncovered } from './coverage.ts';
import { elsewhere } from './elsewhere.ts';

test('every sentence of the pages has a test', () => {
  expect(uncovered()).toStrictEqual([]);
});

test('the tests elsewhere exist', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const missing = Object.values(elsewhere)
    .flat()
    .filter((file) => !existsSync(root + file));
  expect(missing).toStrictEqual([]);
});

test('coverage.md says which (else run `node --import tsx test/conformance/coverage.ts`)', () => {
  expect(readFileSync(coverageFile, 'utf8')).toBe(coverageTable());
});
