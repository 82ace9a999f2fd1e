// What the search knows of a page: its sections, made of the Markdown, so that a test needs no built site.
import { fragmentOf, plain, read } from './pages.ts';
import { searchOptions } from './search.ts';

interface Section {
  readonly anchor: string;
  /** The headings above the section, and its own. */
  readonly titles: readonly string[];
  text: string;
}

/** Returns the sections of a page. Of the reference, only exports and descriptions: the rest repeats the manual. */
export function sectionsOf(path: string): Section[] {
  const isReference = path.includes('/reference/');
  const markdown = read(path).replace(/^---\n.*?\n---\n|<!--.*?-->/gs, '');
  // A line of code may look like a heading.
  const blocks: string[] = [];
  const prose = markdown.replace(/^ *```.*?^ *```$/gms, (block) => `\0${blocks.push(block) - 1}\0`);
  const sections: Section[] = [];
  const above: string[] = [];
  const seen = new Set<string>();
  for (const part of prose.split(/^(?=#{1,6} )/m)) {
    const [, { length: level } = '', heading = '', below = ''] = /^(#+) (.+)\n?([^]*)$/.exec(part) ?? [];
    if (level === 0) continue;
    const anchor = unusedOf(fragmentOf(plain(heading)), seen);
    const kept = isReference ? below.replace(/^\|.*\n?/gm, '') : below;
    const text = plain(kept.replace(/\0(\d+)\0/g, (_, place) => (isReference ? '' : blocks[place]) ?? ''));
    const last = sections.at(-1);
    if (isReference && level > 3 && last) last.text += text;
    else {
      above.splice(level - 1, Infinity, plain(heading));
      sections.push({ anchor, titles: above.filter(Boolean), text });
    }
  }
  return sections;
}

/** The second heading with the same words has a number in its fragment. */
function unusedOf(fragment: string, seen: Set<string>, number = 0): string {
  const name = number === 0 ? fragment : `${fragment}-${number}`;
  return seen.has(name) ? unusedOf(fragment, seen, number + 1) : (seen.add(name), name);
}

/** What readers call the subject of a page, where the page itself has other words: the search finds it by both. */
const otherWords = JSON.parse(read('docs/site/words.json')) as Readonly<Record<string, string>>;

/** How MiniSearch makes the index of a site below `base`. The words are beside the titles, so results do not show them. */
export const indexOptions = (base: string) => ({
  fields: searchOptions.fields,
  storeFields: ['title', 'titles'],
  extractField: (section: Readonly<Record<string, unknown>>, name: string): unknown => {
    const [path = ''] = String(section['id']).slice(base.length).split('#');
    const isHead = Array.isArray(section['titles']) && section['titles'].length === 0;
    const words = isHead ? otherWords[`/${path}`] : undefined;
    return name === 'words' ? words : section[name];
  },
});
