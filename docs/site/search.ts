// What the search of the site finds first. It runs in the reader's browser, on the index of all headings and texts.

/** Words that say nothing about the page that somebody looks for. */
const empty = new Set(
  'a an and are can do does for how i if in is it my of on or should the to what when which with'.split(' '),
);

/** Returns the words to look for: one of the query, and its stem, so that "migration" also finds "migrate". */
function termsOf(word: string): string[] {
  const term = word.toLowerCase();
  if (empty.has(term)) return [];
  const stem = term.replace(/(?:ions?|ing|ed|es|e|s)$/, '');
  return stem.length > 3 && stem !== term ? [term, stem] : [term];
}

/** The head of a page comes before its sections, and a manual before an example and a type. */
function weightOf(
  id: string,
  _term: string,
  { titles = [] }: { readonly titles?: readonly string[] } = {},
): number {
  const head = titles.length === 0 ? 2 : 1;
  if (/\/examples\//.test(id)) return 0.6 * head;
  return /\/(?:reference|protocol|vectors|contributing|pages|skill)[/#]/.test(id) ? 0.4 * head : head;
}

/** How MiniSearch searches. Beginnings of words count less than words, and misspelt words still less. */
export const searchOptions = {
  fields: ['title', 'titles', 'text', 'words'],
  processTerm: termsOf,
  prefix: (term: string): boolean => term.length > 2,
  fuzzy: (term: string): number | false => term.length > 5 && 0.2,
  weights: { prefix: 0.4, fuzzy: 0.2 },
  boost: { title: 4, words: 4 },
  boostDocument: weightOf,
};
