import { existsSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { files } from '../house-rules/files.ts';
import { anchorsOf, linksOf, read, readManual, root } from '@eaas/test-kit/markdown';

const documents = files.filter(({ path }) => path.endsWith('.md')).map(({ path }) => path);

function broken(document: string, link: string): string | undefined {
  const [target = '', anchor] = link.split('#');
  const path = target === '' ? document : posix.normalize(posix.join(posix.dirname(document), target));
  if (path.startsWith('..') || !existsSync(root + path)) return `${link}: ${path} does not exist`;
  if (anchor === undefined) return undefined;
  if (statSync(root + path).isDirectory()) return `${link}: a folder has no headings`;
  return anchorsOf(read(path)).includes(anchor) ? undefined : `${link}: ${path} has no heading #${anchor}`;
}

test.each(documents)('every link of %s has a target', (document) => {
  const links = linksOf(read(document)).filter((link) => !/^[a-z]+:/.test(link));
  expect(links.flatMap((link) => broken(document, link) ?? [])).toEqual([]);
});

test('the manual has more than 30 links', () => {
  expect(linksOf(readManual()).length).toBeGreaterThan(30);
});
