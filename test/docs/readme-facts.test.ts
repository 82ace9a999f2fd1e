import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishedPackages } from '../packaging/published.ts';

test.each(publishedPackages)('the README of $name names each of its entries', ({ directory, entries }) => {
  const readme = readFileSync(join(directory, 'README.md'), 'utf8');
  expect(entries.filter((entry) => !readme.includes(`\`${entry}\``))).toEqual([]);
});
