import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { writeReference } from './reference.ts';

const folder = await newDirectory();
const complaints = await writeReference(folder);
const pages = readdirSync(folder);

test('every export of a package has a description', () => {
  expect(complaints).toEqual([]);
});

test('the first page of the reference lists the page of every entry point, and says what it is for', () => {
  const links = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/\]\(([\w-]+\.md)\): \w/g);
  expect(Array.from(links, ([, page]) => String(page)).toSorted()).toEqual(
    pages.filter((page) => page !== 'README.md'),
  );
  expect(pages.length).toBeGreaterThan(10);
});

test('the page of the SDK begins with the client and its calls', () => {
  const headings = readFileSync(join(folder, 'sdk.md'), 'utf8').matchAll(/^### (.+)$/gm);
  expect(Array.from(headings, ([, name]) => name).slice(0, 2)).toEqual(['EaasClient', 'EnvelopeClient']);
});

test('no page of the reference names a folder of this machine', () => {
  expect(pages.filter((page) => readFileSync(join(folder, page), 'utf8').includes(root))).toEqual([]);
});
