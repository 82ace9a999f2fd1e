import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Sentence } from './covers.ts';
import { elsewhere } from './elsewhere.ts';
import { contractPage } from './sentences/contract.ts';
import { envelopePage } from './sentences/envelope.ts';
import { interfacePage } from './sentences/interface.ts';

// `node --import tsx test/conformance/coverage.ts` writes coverage.md: each sentence of the pages, and what tests it.

/** A test that says what it covers. */
interface Claim {
  readonly file: string;
  readonly title: string;
  readonly sentences: readonly string[];
}

type Page = Readonly<Record<string, readonly string[]>>;

const here = fileURLToPath(new URL('./', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const pages: Readonly<Record<string, { title: string; sections: Page }>> = {
  interface: { title: 'Interface', sections: interfacePage },
  contract: { title: 'Contract', sections: contractPage },
  envelope: { title: 'Envelope', sections: envelopePage },
};

const literal = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`;
const claim = new RegExp(
  String.raw`(${literal}),\s*(?:\{\s*\.\.\.)?covers\(\s*((?:(?:${literal}),?\s*)+)\)`,
  'g',
);

/** Every call of `covers` with the title before it. Throws where one stands that cannot be read. */
function claims(): Claim[] {
  return testFiles().flatMap((file) => {
    const text = readFileSync(`${root}test/${file}`, 'utf8');
    const found = Array.from(text.matchAll(claim), ([, title = '', sentences = '']) => ({
      file,
      title: unquoted(title),
      sentences: Array.from(sentences.matchAll(new RegExp(literal, 'g')), ([quoted]) => unquoted(quoted)),
    }));
    const calls = text.match(/\bcovers\(/g)?.length ?? 0;
    if (calls !== found.length)
      throw new Error(`${file}: ${calls} calls of covers, ${found.length} can be read`);
    return found;
  });
}

function testFiles(): string[] {
  return ['conformance', 'matrix'].flatMap((folder) =>
    readdirSync(`${root}test/${folder}`)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`)
      .toSorted(),
  );
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

/** Sentences that no test names, here or elsewhere. */
export function uncovered(): string[] {
  const covered = new Set<string>([
    ...claims().flatMap(({ sentences }) => sentences),
    ...Object.keys(elsewhere),
  ]);
  return allSentences().filter((sentence) => !covered.has(sentence));
}

function allSentences(): Sentence[] {
  return Object.entries(pages).flatMap(([page, { sections }]) =>
    Object.values(sections).flatMap((sentences) =>
      sentences.map((sentence) => `${page}: ${sentence}` as Sentence),
    ),
  );
}

/** The table, as Markdown. */
export function coverageTable(): string {
  const tests = claims();
  const row = (page: string, sentence: string): string => {
    const key = `${page}: ${sentence}` as Sentence;
    const naming = tests.filter(({ sentences }) => sentences.includes(key));
    const names = naming.map(({ file, title }) => `\`${file}\` ${title}`);
    const others = (elsewhere[key] ?? []).map((file) => `\`${file}\``);
    return `| ${cell(sentence)} | ${[...names, ...others].map(cell).join('<br>')} |`;
  };
  const table = (page: string, sentences: readonly string[]): string =>
    ['| Sentence | Tests |', '|---|---|'].concat(sentences.map((sentence) => row(page, sentence))).join('\n');
  const parts = Object.entries(pages).map(([page, { title, sections }]) =>
    Object.entries(sections).reduce(
      (text, [section, sentences]) => `${text}\n\n### ${section}\n\n${table(page, sentences)}`,
      `## ${title}`,
    ),
  );
  return `${[introduction, ...parts].join('\n\n')}\n`;
}

const introduction = `# What is promised, and what tests it

Made from the tests by \`node --import tsx test/conformance/coverage.ts\`; do not edit. Each sentence of the interface, of
the contract that fills its gaps, and of what a caller sees of the byte formats, with the tests that name it. A file
alone stands where a promise shows only when something fails, is tampered with, runs twice, or when months pass.`;

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

export const coverageFile = `${here}coverage.md`;

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(coverageFile, coverageTable());
