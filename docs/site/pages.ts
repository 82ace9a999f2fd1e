// Which Markdown files are pages of the site, under which address, and where their links lead.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

const rules: readonly (readonly [RegExp, string])[] = [
  [/^docs\/site\/(index|playground)\.md$/, '$1.md'],
  [/^README\.md$/, 'overview.md'],
  [/^docs\/README\.md$/, 'pages.md'],
  [/^CONTRIBUTING\.md$/, 'contributing.md'],
  [/^CHANGELOG\.md$/, 'changelog.md'],
  [/^SECURITY\.md$/, 'security.md'],
  [/^skills\/eaas\/SKILL\.md$/, 'skill.md'],
  [/^docs\/(?!site\/)(.+\.md)$/, '$1'],
  [/^packages\/sdk\/docs\/(reference\/.+\.md)$/, '$1'],
  [/^packages\/([^/]+)\/(README\.md)$/, '$1/$2'],
  [/^packages\/([^/]+)\/docs\/(.+\.md)$/, '$1/$2'],
  [/^(examples\/.*README\.md)$/, '$1'],
  [/^test\/(vectors\/README\.md)$/, '$1'],
];

/** Returns the file of the site that a Markdown file of the repository becomes, if it is a page. */
export function routeOf(path: string): string | undefined {
  const rule = rules.find(([pattern]) => pattern.test(path));
  return rule && path.replace(...rule).replace(/(^|\/)README\.md$/, '$1index.md');
}

const elsewhere = new Set(['node_modules', 'dist']);

function markdownIn(folder: string): string[] {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.name.startsWith('.') || elsewhere.has(entry.name)) return [];
    if (entry.isDirectory()) return markdownIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const all = markdownIn('').toSorted();

/** Every page, by its path in the repository. */
export const pages: readonly string[] = all.filter((path) => routeOf(path) !== undefined);

/** The Markdown files that are no pages. */
export const others: readonly string[] = all.filter((path) => routeOf(path) === undefined);

export const read = (path: string): string => readFileSync(root + path, 'utf8');

/** Returns the first heading of a page, as plain text. */
export function titleOf(path: string): string {
  const text = read(path);
  const title = /^title: (.+)$/m.exec(/^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? '')?.[1];
  return title ?? plain(/^# (.+)$/m.exec(text)?.[1] ?? '');
}

/** Returns the first paragraph of a page, as plain text. */
export function leadOf(path: string): string {
  const [, ...blocks] = read(path)
    .replace(/^---\n.*?\n---\n/s, '')
    .split(/\n{2,}/);
  const prose = blocks.find((block) => /^(?!- )[\p{L}*`[@]/u.test(block) && !block.startsWith('```')) ?? '';
  return plain(prose.replaceAll('\n', ' '));
}

/** Returns the first sentence of a page: what search engines and language models read about it. */
export function descriptionOf(path: string): string {
  const [sentence = ''] = leadOf(path).split(/(?<=\.) /);
  return sentence.replace(/:$/, '.');
}

export function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

/** Makes the same fragment of a heading as the forge does. */
export function fragmentOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

export type Target =
  | { readonly kind: 'page'; readonly path: string; readonly fragment: string }
  | { readonly kind: 'source'; readonly path: string; readonly isFolder: boolean }
  | { readonly kind: 'other' };

/** Returns where a link in the page `from` leads: to a page, to another file of the repository, or out of it. */
export function targetOf(from: string, href: string): Target {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return { kind: 'other' };
  const [link = '', fragment] = href.split('#');
  const path = posix.join(posix.dirname(from), decodeURI(link)).replace(/\/$/, '');
  const hash = fragment === undefined ? '' : `#${fragment}`;
  for (const page of [path, posix.join(path, 'README.md')]) {
    if (pages.includes(page)) return { kind: 'page', path: page, fragment: hash };
  }
  const isFolder = existsSync(root + path) && statSync(root + path).isDirectory();
  return { kind: 'source', path, isFolder };
}

/** The URL of the repository without `.git`, if package.json names one. */
export const repository = repositoryIn(JSON.parse(read('package.json')) as Manifest);

interface Manifest {
  readonly repository?: string | { readonly url: string };
}

export function repositoryIn({ repository: named }: Manifest): string | undefined {
  const url = typeof named === 'string' ? named : named?.url;
  if (url === undefined) return undefined;
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(url)?.[1];
  const web = short === undefined ? url.replace(/^git\+/, '') : `https://github.com/${short}`;
  return web.replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, 'https://$1/').replace(/\.git$/, '');
}

/** Returns the URL of a file or folder in the repository, if the project has said where the repository is. */
export function sourceUrl(
  { path, isFolder }: { readonly path: string; readonly isFolder: boolean },
  home = repository,
): string | undefined {
  return home && `${home}/${isFolder ? 'tree' : 'blob'}/main/${path}`;
}
