import { read } from '@eaas/test-kit/markdown';
import MiniSearch from 'minisearch';
import { expect, test } from 'vitest';
import { pages } from '../../../docs/site/pages.ts';
import { searchOptions } from '../../../docs/site/search.ts';
import { indexOptions, sectionsOf } from '../../../docs/site/sections.ts';
import { addressOf } from '../../../docs/site/sidebar.ts';

type Queries = Readonly<Record<string, string>>;

/**
 * What readers type, written down before the search was tuned for it: with the pages of which one should be among the first
 * two hits, and by the page that should be the first.
 */
const { useful, first } = JSON.parse(read('test/docs/site/queries.json')) as {
  readonly useful: Queries;
  readonly first: Queries;
};

// The index of the site, without the reference, which is made when the site is built.
const index = new MiniSearch(indexOptions('/'));
for (const path of pages.filter((page) => !page.startsWith('packages/sdk/docs/reference/'))) {
  for (const { anchor, titles, text } of sectionsOf(path)) {
    index.add({
      id: `${addressOf(path)}#${anchor}`,
      title: titles.at(-1),
      titles: titles.slice(0, -1),
      text,
    });
  }
}

const found = (query: string): string[] =>
  index.search(query, searchOptions).map(({ id }) => String(id).replace(/#.*/, ''));

const all = Object.entries(useful).flatMap(([queries, pages]) =>
  queries.split(', ').map((query) => ({ query, useful: pages.split(' ') })),
);

/** Of the queries, those whose useful pages may be further down: at most seven. */
const missed: readonly string[] = [];

test('for 65 ordinary queries, a useful page is the first or second hit of the search', () => {
  expect(all.length).toBe(65);
  const further = all
    .map(({ query, useful }) => ({ query, useful, found: found(query).slice(0, 2) }))
    .filter((one) => !one.useful.some((page) => one.found.includes(page)) && !missed.includes(one.query));
  expect(further).toEqual([]);
  expect(missed.length).toBeLessThanOrEqual(7);
});

test.each(Object.entries(first))('the search finds %s first', (path, queries) => {
  expect(queries.split(', ').map((query) => [query, found(query)[0]])).toEqual(
    queries.split(', ').map((query) => [query, path]),
  );
});

test('queries and words name pages that exist', () => {
  const addresses = new Set(pages.map(addressOf));
  const words = JSON.parse(read('docs/site/words.json')) as Readonly<Record<string, string>>;
  const named = [
    ...Object.keys(words),
    ...Object.keys(first),
    ...Object.values(useful).flatMap((some) => some.split(' ')),
  ];
  expect(named.filter((address) => !addresses.has(address))).toEqual([]);
});

test('a misspelt word is found if it is long: a short one finds only itself', () => {
  const matched = index.search('price', searchOptions).flatMap(({ match }) => Object.keys(match));
  expect(matched).toContain('price');
  expect(matched).not.toContain('prime');
  expect(found('postgers')).toContain('/drizzle/');
});
