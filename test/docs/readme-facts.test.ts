import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { libraries } from '@eaas/test-kit/published';

test.each(libraries)(
  'the README of $name names every entry point of the package',
  ({ directory, entries }) => {
    const readme = readFileSync(join(directory, 'README.md'), 'utf8');
    const named = new Set(readme.match(/@eaas\/[\w/-]+/g));
    expect(entries.filter((entry) => !named.has(entry))).toEqual([]);
  },
);

test('`npm run dev` starts the server for development, which needs no database', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  expect(scripts['dev']).toMatch(/ --watch packages\/cli\/src\/main\.ts dev$/);
});
