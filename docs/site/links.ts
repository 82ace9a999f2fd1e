// What the site changes in the Markdown of the repository: links and pictures, and nothing else.
import { posix } from 'node:path';
import { addressOf } from './sidebar.ts';
import { root, routeOf, sourceUrl, targetOf } from './pages.ts';

interface Token {
  type: string;
  tag: string;
  content: string;
  attrs: [string, string][] | null;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface State {
  readonly env: { readonly realPath?: string };
  readonly tokens: Token[];
  readonly Token: new (type: string, tag: string, nesting: number) => Token;
}

interface MarkdownIt {
  readonly core: { readonly ruler: { push(name: string, rule: (state: State) => void): void } };
  readonly renderer: { readonly rules: { code_inline: (...parts: never[]) => string } };
}

/** Makes links between files of the repository work in the site. */
export function siteLinks(md: MarkdownIt): void {
  md.core.ruler.push('site-links', (state) => {
    const { realPath } = state.env;
    if (realPath === undefined) return;
    const from = posix.relative(root, realPath);
    for (const token of state.tokens) {
      if (token.type === 'html_block') token.content = withPictures(token.content);
      if (token.children) token.children = linked(from, token.children, state.Token);
    }
  });
}

/** Lets code in a line break behind a slash or a space, and not at a hyphen, where `--json` would break. */
export function steadyCode({ renderer: { rules } }: MarkdownIt): void {
  const render = rules.code_inline;
  const steady = (part: string): string =>
    part.includes('-') && part.length <= 32 ? `<span class="steady">${part}</span>` : part;
  const broken = (text: string): string =>
    text
      .split(/(?<=[ /])/)
      .map(steady)
      .join('<wbr>');
  rules.code_inline = (...parts) => render(...parts).replace(/(?<=>)[^<]+(?=<)/, broken);
}

function linked(from: string, tokens: readonly Token[], Made: State['Token']): Token[] {
  let plain: { readonly path: string; isNamed: boolean } | undefined;
  return tokens.flatMap((token) => {
    if (token.type === 'code_inline' && plain) plain.isNamed = true;
    if (token.type === 'link_close' && plain) {
      const { path, isNamed } = plain;
      plain = undefined;
      token.tag = 'span';
      return isNamed ? [token] : [token, ...named(path, Made)];
    }
    if (token.type !== 'link_open') return [token];
    const target = targetOf(from, token.attrGet('href') ?? '');
    if (target.kind === 'page') token.attrSet('href', `/${routeOf(target.path)}${target.fragment}`);
    if (target.kind !== 'source') return [token];
    const url = sourceUrl(target);
    if (url !== undefined) token.attrSet('href', url);
    else {
      // Nobody has said where the repository is, so the path is all that a reader can use.
      plain = { path: target.path, isNamed: false };
      token.tag = 'span';
      token.attrs = [['title', target.path]];
    }
    return [token];
  });
}

/** Returns the path of a file after the text of a link that does not name it. */
function named(path: string, Made: State['Token']): Token[] {
  return (['text', 'code_inline', 'text'] as const).map((type, place) => {
    const token = new Made(type, type === 'text' ? '' : 'code', 0);
    token.content = [' (', path, ')'][place] ?? '';
    return token;
  });
}

/** VitePress has a switch for dark mode, so a picture for each mode is two pictures, of which CSS hides one. */
function withPictures(html: string): string {
  const picture =
    /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)" \/>\s*<img src="([^"]+)" alt="([^"]*)" \/>\s*<\/picture>/g;
  return html.replace(
    picture,
    '<img class="only-light" src="./$2" alt="$3" loading="lazy" /><img class="only-dark" src="./$1" alt="$3" loading="lazy" />',
  );
}

/** Returns the Markdown of a page with links that work beside the pages of the site: to other Markdown files. */
export function markdownOf(path: string, text: string, site: string): string {
  const pieces = text.split(/(^ *```.*?^ *```$)/ms);
  const link = /\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
  return pieces
    .map((piece, place) =>
      place % 2 === 1
        ? piece
        : piece.replace(link, (whole, shown: string, href: string) => {
            const target = targetOf(path, href);
            if (target.kind === 'other') return whole;
            if (target.kind === 'page') {
              return `[${shown}](${markdownUrl(target.path, site)}${target.fragment})`;
            }
            const url = sourceUrl(target);
            if (url !== undefined) return `[${shown}](${url})`;
            return shown.includes('`') ? shown : `${shown} (\`${target.path}\`)`;
          }),
    )
    .join('');
}

/** Returns the URL of a page as Markdown: its address with `.md`. */
export function markdownUrl(path: string, site: string): string {
  const address = addressOf(path);
  return site.replace(/\/$/, '') + (address === '/' ? '/index.md' : `${address.replace(/\/$/, '')}.md`);
}
