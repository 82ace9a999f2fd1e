// The sidebar is docs/README.md, its doors and their groups. A page that it does not link stands below the README of its
// folder, or below the first page that links it.
import { posix } from 'node:path';
import { pages, plain, read, routeOf, targetOf, titleOf } from './pages.ts';

export interface Entry {
  readonly path: string;
  readonly text: string;
  readonly children: readonly Entry[];
}

export interface Group {
  readonly title: string;
  /** 2 for a door, and 3 for a group behind it. */
  readonly level: number;
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
}

/** Returns the pages that a page links, in its order. */
export function linksIn(from: string, markdown = read(from)): Link[] {
  return Array.from(markdown.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g), ([, text = '', href = '']) => {
    const target = targetOf(from, href);
    return target.kind === 'page' ? [{ path: target.path, text: plain(text) }] : [];
  }).flat();
}

/** Returns the groups of the sidebar, and the pages that have no place in it. */
export function contents(): { readonly groups: readonly Group[]; readonly missing: readonly string[] } {
  const placed = new Set(atTop);
  const sections = Array.from(`## Overview\n${read(index)}`.matchAll(/^(##+) (.+)\n((?:(?!##).*\n?)*)/gm));
  const listed = sections.map(([, { length: level } = '', title = '', text = '']) => {
    const links = linksIn(index, text).filter(({ path }) => !placed.has(path) && placed.add(path));
    return { title, level, links };
  });
  const childrenOf = new Map<string, string[]>();
  let missing = pages.filter((path) => !placed.has(path) && !isReference(path));
  for (let before = Infinity; missing.length < before;) {
    before = missing.length;
    missing = missing.filter((page) => {
      const parent = parentOf(page, placed);
      if (parent === undefined) return true;
      placed.add(page);
      childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), page]);
      return false;
    });
  }
  const entryOf = (link: Link): Entry => ({
    path: link.path,
    text: textOf(link),
    children: inOrderOf(link.path, childrenOf.get(link.path) ?? []).map(entryOf),
  });
  const groups = listed.map(({ title, level, links }) => ({ title, level, entries: links.map(entryOf) }));
  return { groups, missing };
}

/** Returns the nearest README above a page that has a place, or else the first page with a place that links it. */
function parentOf(page: string, placed: ReadonlySet<string>): string | undefined {
  for (let folder = posix.dirname(page); folder !== '.'; folder = posix.dirname(folder)) {
    const readme = posix.join(folder, 'README.md');
    if (readme !== page && placed.has(readme) && readme !== index) return readme;
  }
  const possible = [...placed].filter((path) => !atTop.includes(path) && path !== 'README.md');
  return possible.find((path) => linksIn(path).some((link) => link.path === page));
}

/** Sorts the children of a page in the order in which it links them. */
function inOrderOf(parent: string, children: readonly string[]): Link[] {
  const links = linksIn(parent);
  const place = (path: string): number => links.findIndex((link) => link.path === path) + 1 || Infinity;
  return children
    .toSorted((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((path) => ({ path, text: titleOf(path) }));
}

/** A README's title is the name of its package, and the skill's that of the product: the link says what it is. */
function textOf({ path, text }: Link): string {
  const title = titleOf(path).split(':')[0] ?? '';
  const chosen = /(?:README|SKILL)\.md$/.test(path) && !path.startsWith('examples/') ? text : title;
  return /^[\w]+-/.test(chosen) ? chosen : chosen.charAt(0).toUpperCase() + chosen.slice(1);
}

/** Returns the groups as VitePress wants them: those of a door in it. */
export function sidebar() {
  const itemOf = ({ path, text, children }: Entry): object => ({
    text,
    link: addressOf(path),
    ...(children.length > 0 && { items: children.map(itemOf), collapsed: true }),
  });
  const doors: { text: string; collapsed: boolean; items: object[] }[] = [];
  for (const { title, level, entries } of contents().groups) {
    const group = { text: title, collapsed: doors.length > 0, items: entries.map(itemOf) };
    if (level === 2) doors.push(group);
    else doors.at(-1)?.items.push(group);
  }
  return doors;
}

/** Returns the address of a page in the site, without the base. */
export function addressOf(path: string): string {
  return `/${routeOf(path) ?? ''}`.replace(/(?:(?<=\/)index)?\.md$/, '');
}
