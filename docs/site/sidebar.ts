// The sidebar: sidebar.json, which lists what readers look for, in the order in which they need it.
import { pages, read, routeOf, titleOf } from './pages.ts';

/** By titles: addresses of pages, each with a name if its title says too much or too little, and groups. */
interface Outline {
  readonly [title: string]: readonly (string | Outline)[];
}

/** The pages that the bar at the top and the sidebar's head link: no group lists them. */
export const atTop: readonly string[] = ['docs/site/index.md', 'docs/site/playground.md', 'docs/README.md'];

interface Entry {
  readonly path: string;
  readonly text: string;
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly groups: readonly Group[];
}

/** Returns the groups of sidebar.json with the pages that it names. */
export function contents(outline = JSON.parse(read('docs/site/sidebar.json')) as Outline): Group[] {
  return Object.entries(outline).map(([title, lines]) => ({
    title,
    entries: lines.flatMap((line) => (typeof line === 'string' ? [entryOf(line)] : [])),
    groups: lines.flatMap((line) => (typeof line === 'string' ? [] : contents(line))),
  }));
}

function entryOf(line: string): Entry {
  const [, address, name] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  const path = pages.find((page) => addressOf(page) === address);
  if (path === undefined) {
    throw new Error(`docs/site/sidebar.json lists ${address}, but no page has this address: delete it`);
  }
  return { path, text: name || titleOf(path).split(':', 1).join('') };
}

/** Returns the pages of groups, in their order. */
export const pagesOf = (groups: readonly Group[]): string[] =>
  groups.flatMap((group) => [...group.entries.map(({ path }) => path), ...pagesOf(group.groups)]);

/** Returns the groups as VitePress wants them: the first two are open. */
export function sidebar(groups: readonly Group[] = contents(), open = 2): object[] {
  return groups.map(({ title, entries, groups: inner }, place) => ({
    text: title,
    collapsed: place >= open,
    items: [...entries.map(({ path, text }) => ({ text, link: addressOf(path) })), ...sidebar(inner, 0)],
  }));
}

/** Returns the group of the reference in the order of its first page, if `npm run reference` has made it of the sources. */
export function reference(): object[] {
  const first = pages.find((path) => addressOf(path) === '/reference/');
  if (first === undefined) return [];
  const links = read(first).matchAll(/^- \[(\S+)\]\((\S+)\.md\)/gm);
  const items = Array.from(links, ([, text, page]) => ({ text, link: `/reference/${page}` }));
  return [{ text: 'API reference', collapsed: true, items }];
}

/** Returns the address of a page in the site, without the base. */
export function addressOf(path: string): string {
  return `/${routeOf(path) ?? ''}`.replace(/(?:(?<=\/)index)?\.md$/, '');
}
