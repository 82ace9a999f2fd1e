// The sidebar is docs/README.md: its sections are the groups, and the first link to a page is the page's place.
import { posix } from 'node:path';
import { pages, plain, read, routeOf, targetOf, titleOf } from './pages.ts';

export interface Entry {
  readonly path: string;
  readonly text: string;
  /** Who needs the page, such as "to encrypt files", if docs/README.md says it. */
  readonly about: string;
  readonly children: readonly Entry[];
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const index = 'docs/README.md';

/** The pages that the bar at the top and the sidebar's head link: no group lists them. */
export const atTop: readonly string[] = ['docs/site/index.md', 'docs/site/playground.md', index];

/** Whether the page is one of the API reference: its first page, which the bar at the top links, lists the others. */
const isReference = (path: string): boolean => path.startsWith('packages/sdk/docs/reference/');

interface Link {
  readonly path: string;
  readonly text: string;
  readonly about: string;
}

/** What the first column of a table says about a page, by the column's title. */
const prepositions: Readonly<Record<string, string>> = { 'you want to': 'to', 'you come from': 'from' };

function linksIn(from: string, section: string): Link[] {
  let head = '';
  const lines = section.split(/\n(?=\||\n)/).map((line) => line.trim());
  return lines.flatMap((line, place) => {
    const first = plain(/^\|([^|]+)\|/.exec(line)?.[1] ?? '').trim();
    if (lines[place + 1]?.startsWith('| -')) head = first;
    const about = first && `${prepositions[head] ?? head} ${first}`;
    return Array.from(line.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g), ([, text = '', href = '']) => {
      const target = targetOf(from, href);
      return target.kind === 'page' ? [{ path: target.path, text: plain(text), about }] : [];
    }).flat();
  });
}

/** Returns the groups of the sidebar, and the pages that have no place in it. */
export function contents(): { readonly groups: readonly Group[]; readonly missing: readonly string[] } {
  const seen = new Set(atTop);
  const [before = '', ...sections] = read(index).split(/^## /m);
  const listed = [`Overview\n${before}`, ...sections].map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const links = linksIn(index, lines.join('\n')).filter(({ path }) => !seen.has(path) && seen.add(path));
    return { title, links };
  });
  const missing: string[] = [];
  const childrenOf = new Map<string, string[]>();
  for (const page of pages.filter((path) => !seen.has(path) && !isReference(path))) {
    const parent = parentOf(page, seen);
    if (parent === undefined) missing.push(page);
    else childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), page]);
  }
  const entryOf = (link: Link): Entry => ({
    ...link,
    text: textOf(link),
    children: inOrderOf(link.path, childrenOf.get(link.path) ?? []).map(entryOf),
  });
  return { groups: listed.map(({ title, links }) => ({ title, entries: links.map(entryOf) })), missing };
}

/** Returns the nearest README above a page that docs/README.md lists. */
function parentOf(page: string, listed: ReadonlySet<string>): string | undefined {
  for (let folder = posix.dirname(page); folder !== '.'; folder = posix.dirname(folder)) {
    const readme = posix.join(folder, 'README.md');
    if (listed.has(readme) && readme !== index) return readme;
  }
  return undefined;
}

/** Sorts the children of a README in the order in which it links them. */
function inOrderOf(readme: string, children: readonly string[]): Link[] {
  const links = linksIn(readme, read(readme));
  const place = (path: string): number => links.findIndex((link) => link.path === path) + 1 || Infinity;
  return children
    .toSorted((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((path) => ({
      path,
      text: titleOf(path),
      about: links.find((link) => link.path === path)?.about ?? '',
    }));
}

/** A README's title is the name of its package, and the skill's that of the product: docs/README.md says what it is. */
function textOf({ path, text }: Link): string {
  const title = titleOf(path).split(':')[0] ?? '';
  const chosen = /(?:README|SKILL)\.md$/.test(path) && !path.startsWith('examples/') ? text : title;
  return /^[\w]+-/.test(chosen) ? chosen : chosen.charAt(0).toUpperCase() + chosen.slice(1);
}

/** Returns the groups as VitePress wants them. */
export function sidebar() {
  const itemOf = ({ path, text, children }: Entry): object => ({
    text,
    link: addressOf(path),
    ...(children.length > 0 && { items: children.map(itemOf), collapsed: true }),
  });
  return contents().groups.map(({ title, entries }, place) => ({
    text: title,
    collapsed: place > 0,
    items: entries.map(itemOf),
  }));
}

/** Returns the address of a page in the site, without the base. */
export function addressOf(path: string): string {
  return `/${routeOf(path) ?? ''}`.replace(/(?:(?<=\/)index)?\.md$/, '');
}
