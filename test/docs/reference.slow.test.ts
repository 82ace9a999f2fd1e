import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { reference, writeReference } from './reference.ts';

const folder = await newDirectory();
const complaints = await writeReference(folder);

const committed = readdirSync(root + reference);

test('the reference has exactly one page per entry point', () => {
  expect(committed).toEqual(readdirSync(folder));
  expect(committed.length).toBeGreaterThan(10);
});

test('every export of a package has a description', () => {
  expect(complaints).toEqual([]);
});

describe.each(committed)('%s', (page) => {
  test('the reference page is up to date (if not, run `npm run reference`)', () => {
    const now = readFileSync(join(folder, page), 'utf8');
    expect(readFileSync(join(root, reference, page), 'utf8')).toBe(now);
    expect(now).not.toContain(root);
  });
});
