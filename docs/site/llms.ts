// What the site has for language models: an index, all pages as one text, and each page as Markdown at its address.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { markdownOf, markdownUrl } from './links.ts';
import { descriptionOf, pages, read } from './pages.ts';
import { contents, type Group, pagesOf } from './sidebar.ts';

/** Whether the site also has a page as Markdown: not the pages that are only a frame for components. */
export const hasMarkdown = (path: string): boolean => pages.includes(path) && !path.startsWith('docs/site/');

/** Returns the index: every page, and its first sentence. */
export function llmsIndex(site: string): string {
  const textOf = ({ title, entries, groups }: Group, level = '##'): string => {
    const lines = entries.map(
      ({ path, text }) => `- [${text}](${markdownUrl(path, site)}): ${descriptionOf(path)}\n`,
    );
    return `\n${level} ${title}\n\n${lines.join('')}${groups.map((group) => textOf(group, `${level}#`)).join('')}`;
  };
  return (
    summary(site) +
    contents()
      .map((group) => textOf(group))
      .join('')
  );
}

/** Returns every page as one text, in the order of the index. */
export function llmsFull(site: string): string {
  const texts = pagesOf(contents()).map(
    (path) => `<!-- ${markdownUrl(path, site)} -->\n\n${markdownOf(path, read(path), site)}`,
  );
  return `${summary(site)}\n${texts.join('\n')}`;
}

/** What Eaas is, and where a model begins that would otherwise write a cipher of its own. */
function summary(site: string): string {
  return `# Eaas\n\n> ${descriptionOf('README.md')}\n\nFor OAuth tokens and API keys, or in place of \`createCipheriv\` with an \`ENCRYPTION_KEY\`, begin with [the skill](${markdownUrl('skills/eaas/SKILL.md', site)}). \`encrypt\` returns the ciphertext, a string, and no object with a member \`ciphertext\`.\n`;
}

/** Writes the files beside the pages of a built site. */
export function writeForModels(folder: string, site: string): void {
  const write = (name: string, text: string): void => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  write('llms.txt', llmsIndex(site));
  write('llms-full.txt', llmsFull(site));
  for (const path of pages.filter(hasMarkdown)) {
    write(markdownUrl(path, '').slice(1), markdownOf(path, read(path), site));
  }
}
