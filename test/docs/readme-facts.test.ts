import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { entryParts, linkParts, type StoredEntry } from '../../packages/protocol/src/audit-chain.ts';
import { libraries, type Manifest } from '@eaas/test-kit/published';
import { files, sources } from '../house-rules/files.ts';
import { read } from '@eaas/test-kit/markdown';

test.each(libraries)(
  'the README of $name names every entry point of the package that users have',
  ({ directory, entries }) => {
    const readme = readFileSync(join(directory, 'README.md'), 'utf8');
    const named = new Set(readme.match(/@eaas\/[\w/-]+/g));
    expect(entries.filter((entry) => !named.has(entry) && !/\/internal\b/.test(entry))).toEqual([]);
  },
);

test('the front page installs what its first code imports, and what these packages need', () => {
  const [, named = ''] = /eaas-\{([\w,]+)\}/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const needed = named.split(',').flatMap((name) => {
    const { dependencies = {} } = JSON.parse(
      readFileSync(`packages/${name}/package.json`, 'utf8'),
    ) as Manifest;
    return Object.keys(dependencies)
      .filter((one) => one.startsWith('@eaas/'))
      .concat(`@eaas/${name}`);
  });
  expect(
    named
      .split(',')
      .map((name) => `@eaas/${name}`)
      .toSorted(),
  ).toEqual([...new Set(needed)].toSorted());
  expect(needed).toEqual(expect.arrayContaining(['@eaas/drizzle', '@eaas/local', '@eaas/sdk']));
});

test('the pages name only entry points that exist, and design notes only files of the code', () => {
  const known = new Set(libraries.flatMap(({ entries }) => entries));
  for (const { path } of sources) known.add(basename(path));
  const pages = files.filter(({ path }) => path.endsWith('.md') && !path.startsWith('.changeset'));
  const named = pages.flatMap(({ path, text }) => {
    const pattern = path.startsWith('docs/design/')
      ? /(?<=`)[\w-]+\.ts(?=`)/g
      : /(?<=`)@eaas\/[\w-]+\/[\w-]+(?=`)/g;
    return (text.match(pattern) ?? []).map((name) => `${path}: ${name}`);
  });
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((one) => !known.has(one.replace(/^.*: /, '')))).toEqual([]);
});

test('no page names a person by the id of a row, which an erasure takes for ever, or passes `cache: false`', () => {
  const wrong = files.filter(({ text }) => /\bsubject: 'id'|\bcache: false\b/.test(text));
  expect(wrong.filter(({ path }) => path.endsWith('.md')).map(({ path }) => path)).toEqual([]);
  for (const name of ['people', 'erase-a-person', 'sign-in']) {
    expect(read(`packages/sdk/docs/${name}.md`)).toMatch(/account\s+can\s+never\s+write\s+again/);
  }
});

test('the README of the protocol hashes the fields of an entry in the order of the code', () => {
  const names = new Proxy({} as StoredEntry, { get: (_, name) => name });
  const [label, ...parts] = entryParts(names);
  const formats = read('packages/protocol/README.md').replaceAll(/\s+/g, ' ');
  expect(formats).toContain(`pae("${String(label)}", ${parts.join(', ')})`);
  expect(formats).toContain(
    `pae("${String(linkParts(new Uint8Array(), new Uint8Array())[0])}", hash_(n-1), digest_n)`,
  );
});
