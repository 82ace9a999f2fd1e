// Which libraries stand inside our packages, by the source maps of their builds. `npm audit` of a user does not see these copies, so
// SECURITY.md lists them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { read } from '@eaas/test-kit/markdown';
import { expect, test } from 'vitest';

/** The libraries of which a build contains files. */
function copiedIn(folder: string): string[] {
  const libraries = new Set<string>();
  const dist = `packages/${folder}/dist`;
  const files = existsSync(dist) ? readdirSync(dist, { recursive: true, encoding: 'utf8' }) : [];
  for (const file of files.filter((name) => name.endsWith('.map'))) {
    const map = JSON.parse(readFileSync(join(dist, file), 'utf8')) as { readonly sources: readonly string[] };
    const { sources } = map;
    for (const source of sources) {
      const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
      if (library !== undefined) libraries.add(library);
    }
  }
  return [...libraries].toSorted();
}

test('SECURITY.md lists each package that contains copies of libraries, and which', () => {
  const rows = read('SECURITY.md').matchAll(/^\| `@eaas\/(\w+)` +\| (.*?) +\|$/gm);
  const listed = Array.from(rows, ([, name = '', libraries = '']) => [
    name,
    Array.from(libraries.matchAll(/`([^`]+)`/g), ([, library]) => library),
  ]);
  const found = readdirSync('packages')
    .toSorted()
    .map((folder) => [folder, copiedIn(folder)] as const);
  expect(listed).toEqual(found.filter(([, libraries]) => libraries.length > 0));
});
