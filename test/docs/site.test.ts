import { blocksOf, read } from '@eaas/test-kit/markdown';
import { expect, test } from 'vitest';
import { markdownOf, markdownUrl, steadyCode } from '../../docs/site/links.ts';
import { llmsFull, llmsIndex } from '../../docs/site/llms.ts';
import {
  descriptionOf,
  fragmentOf,
  others,
  pages,
  repositoryIn,
  routeOf,
  sourceUrl,
  targetOf,
} from '../../docs/site/pages.ts';
import { addressOf, atTop, contents, pagesOf } from '../../docs/site/sidebar.ts';

const listed = pagesOf(contents());
const linksIn = (from: string): string[] =>
  Array.from(read(from).matchAll(/\]\(([^)\s]+)\)/g), ([, href = '']) => targetOf(from, href)).flatMap(
    (target) => (target.kind === 'page' ? [target.path] : []),
  );

test('every page has one place in the sidebar', () => {
  const isReference = (path: string): boolean => path.startsWith('packages/sdk/docs/reference/');
  const homeless = pages.filter((path) => ![...atTop, ...listed].includes(path) && !isReference(path));
  const toDo = homeless.map(
    (path) => `add ${addressOf(path)} to docs/site/sidebar.json, where a reader would look for it`,
  );
  expect(toDo).toEqual([]);
  expect(listed.filter((path, place) => listed.indexOf(path) !== place)).toEqual([]);
});

test('every page is at most two clicks from docs/README.md, which has 63 links', () => {
  const first = linksIn('docs/README.md');
  const near = new Set([...first, ...atTop, ...first.flatMap(linksIn)]);
  expect({ first: first.length, far: listed.filter((path) => !near.has(path)) }).toEqual({
    first: 63,
    far: [],
  });
});

test('the site has all Markdown that is for readers, each page at an address of its own', () => {
  const readers = /^(?:docs|packages\/[^/]+\/docs|examples)\/|^(?:packages\/[^/]+\/)?[A-Z]+\.md$/;
  expect(others.filter((path) => readers.test(path) && !path.endsWith('AGENTS.md'))).toEqual([]);
  expect(new Set(pages.map(routeOf)).size).toBe(pages.length);
});

test.each([
  ['README.md', '/overview'],
  ['packages/sdk/README.md', '/sdk/'],
  ['packages/sdk/docs/fields.md', '/sdk/fields'],
  ['packages/sdk/docs/reference/README.md', '/reference/'],
  ['docs/site/index.md', '/'],
])('%s is at %s, and as Markdown at that address with .md', (path, address) => {
  expect(addressOf(path)).toBe(address);
  const name = address === '/' ? '/index' : address.replace(/\/$/, '');
  expect(markdownUrl(path, 'https://eaas.example/docs/')).toBe(`https://eaas.example/docs${name}.md`);
});

test.each([
  ['docs/README.md', '../packages/sdk', { kind: 'page', path: 'packages/sdk/README.md', fragment: '' }],
  ['README.md', 'docs/concepts.md#x', { kind: 'page', path: 'docs/concepts.md', fragment: '#x' }],
  ['README.md', 'test/vectors/', { kind: 'page', path: 'test/vectors/README.md', fragment: '' }],
  ['CONTRIBUTING.md', 'package.json', { kind: 'source', path: 'package.json', isFolder: false }],
  ['docs/README.md', '../packages/sdk/src', { kind: 'source', path: 'packages/sdk/src', isFolder: true }],
  ['README.md', '#five-minutes', { kind: 'other' }],
  ['README.md', 'https://example.com/x.md', { kind: 'other' }],
])('in %s, the link %s leads to its target', (from, href, target) => {
  expect(targetOf(from, href)).toEqual(target);
});

test('a link to a source leads to the repository of package.json, or nowhere without one', () => {
  const url = repositoryIn({ repository: { url: 'git+ssh://git@forge.example/eaas/eaas.git' } });
  expect(url).toBe('https://forge.example/eaas/eaas');
  expect(sourceUrl({ path: 'a.ts', isFolder: false }, url)).toBe(`${url}/blob/main/a.ts`);
  expect(sourceUrl({ path: 'a.ts', isFolder: false }, repositoryIn({}))).toBeUndefined();
});

test('a fragment of the site is the fragment of the forge', () => {
  expect(fragmentOf('Keys, API keys, usage')).toBe('keys-api-keys-usage');
  expect(fragmentOf('`encrypt` in the SDK')).toBe('encrypt-in-the-sdk');
  expect(fragmentOf('What is “here”: a_b – c')).toBe('what-is-here-a_b--c');
});

test('a page as Markdown links Markdown, says where sources are, and keeps its code', () => {
  const text =
    '[fields](fields.md#types), [`x`](../src/x.ts), [y](../src/y.ts)\n```md\n[fields](fields.md)\n```';
  expect(markdownOf('packages/sdk/docs/audit.md', text, 'https://eaas.example')).toBe(
    '[fields](https://eaas.example/sdk/fields.md#types), `x`, y (`packages/sdk/src/y.ts`)\n```md\n[fields](fields.md)\n```',
  );
});

test('code in a line breaks behind a slash, and not at a hyphen', () => {
  const rules = { code_inline: (...[text]: never[]) => `<code>${String(text)}</code>` };
  steadyCode({ core: { ruler: { push: () => {} } }, renderer: { rules } });
  expect(rules.code_inline('npx --json src/a-b/c' as never)).toBe(
    '<code>npx <wbr><span class="steady">--json </span><wbr>src/<wbr><span class="steady">a-b/</span><wbr>c</code>',
  );
});

test('llms.txt names every page once with its first sentence, and llms-full.txt has them all', () => {
  const index = llmsIndex('https://eaas.example/');
  expect(index).toMatch(
    /^# Eaas\n\n> Your TypeScript code [^\n]+\n\nFor OAuth tokens [^\n]+\n\n## Overview\n\n- \[/,
  );
  expect(index).toContain('(https://eaas.example/sdk.md): Client-side encryption for TypeScript');
  expect(listed.filter((path) => descriptionOf(path).length < 10)).toEqual([]);
  const [skill, ...urls] = Array.from(index.matchAll(/\]\((\S+)\)/g), ([, url]) => url);
  expect(urls).toContain(skill);
  expect(skill).toBe(markdownUrl('skills/eaas/SKILL.md', 'https://eaas.example/'));
  expect(urls).toEqual(listed.map((path) => markdownUrl(path, 'https://eaas.example/')));
  const full = llmsFull('https://eaas.example/');
  expect(urls.filter((url) => !full.includes(`<!-- ${url} -->\n\n`))).toEqual([]);
});

test('the landing page has the code of the README', () => {
  const [code] = blocksOf(read('README.md'), 'ts users.mts');
  expect(blocksOf(read('docs/site/index.md'), 'ts users.mts')).toEqual([code]);
});
