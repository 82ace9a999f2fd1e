// Prints how large the repository is: code lines of each package, words of its pages, its longest lines, and what has changed since
// the last release. `npm run size` runs it. It holds nobody to a number: what is a limit has a test of its own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Size {
  readonly lines: number;
  readonly linesWithImports: number;
}

interface Sizes {
  readonly code: ReadonlyMap<string, Size>;
  readonly words: number;
}

const longestLinesShown = 10;

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

// What a release has kept is data.
const isCode = (path: string): boolean =>
  /\.(?:tsx?|[mc]?js|css|sql|vue)$/.test(path) && !/^test\/kept\/\d/.test(path);
const isTest = (path: string): boolean =>
  /^test\/|^packages\/[^/]+\/test\/|\.test\.tsx?$|\/testing\/|^vitest\.config\.ts$/.test(path);
const isHandwritten = (path: string): boolean =>
  path.endsWith('.md') && !/^\.changeset|\/docs\/reference\/|CHANGELOG/.test(path);

/** The name of the row that counts a file. */
function rowOf(path: string): string {
  if (isTest(path)) return 'tests, benchmarks and trials';
  const [top = '', name = ''] = path.split('/');
  if (top === 'packages') return `packages/${name}`;
  return top === 'docs' ? 'docs/site' : top;
}

/** Lines that are neither blank nor comments. */
function codeLines(text: string): number {
  let isInComment = false;
  let count = 0;
  for (const line of text.split('\n').map((each) => each.trim())) {
    const isComment = isInComment || line.startsWith('/*') || line.startsWith('<!--');
    if (isComment) isInComment = !/\*\/|-->/.test(line);
    if (line !== '' && !isComment && !/^(?:\/\/|-- )/.test(line)) count++;
  }
  return count;
}

const withoutImports = (text: string): string => text.replace(/^import\b[^;]*;$/gm, '');

/** The words of a page, without the tables between `<!-- generated: … -->` and their end, which programs write. */
const wordsIn = (text: string): number =>
  text
    .replace(/<!-- (?:table|generated): .*?<!-- (?:\/table|end) -->/gs, '')
    .split(/\s+/)
    .filter(Boolean).length;

/** Measures the files of a folder, by their paths in it. */
function sizesOf(folder: string, paths: readonly string[]): Sizes {
  const code = new Map<string, Size>();
  for (const path of paths.filter(isCode)) {
    const text = readFileSync(join(folder, path), 'utf8');
    const row = code.get(rowOf(path)) ?? { lines: 0, linesWithImports: 0 };
    code.set(rowOf(path), {
      lines: row.lines + codeLines(withoutImports(text)),
      linesWithImports: row.linesWithImports + codeLines(text),
    });
  }
  let words = 0;
  for (const path of paths.filter(isHandwritten)) words += wordsIn(readFileSync(join(folder, path), 'utf8'));
  return { code, words };
}

/** The last release before this commit, or undefined if there was none. */
function lastRelease(): string | undefined {
  const [newest] = git('tag', '--merged', 'HEAD', '--sort=-creatordate').split('\n');
  return newest === '' ? undefined : newest;
}

/** Measures the repository as it was at a commit. */
function sizesAt(commit: string): Sizes {
  const folder = mkdtempSync(join(tmpdir(), 'eaas-size-'));
  try {
    const archive = execFileSync('git', ['archive', commit], { maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return sizesOf(
      folder,
      entries.filter((path) => statSync(join(folder, path)).isFile()),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The places of the longest lines of code in packages, with their lengths. */
function longestLines(paths: readonly string[]): string[] {
  const lines = paths
    .filter((path) => isCode(path) && path.startsWith('packages/'))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .map(({ length }, index) => ({ place: `${path}:${index + 1}`, length })),
    );
  return lines
    .toSorted((a, b) => b.length - a.length)
    .slice(0, longestLinesShown)
    .map(({ place, length }) => `  ${length}  ${place}`);
}

const cell = (value: number | string): string => value.toLocaleString('en').padStart(14);
const changeOf = (now: number, then: number | undefined): string => {
  if (then === undefined) return '';
  return `${now < then ? '-' : '+'}${Math.abs(now - then).toLocaleString('en')}`;
};

const paths = git('ls-files', '--deduplicate')
  .split('\n')
  .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
const sizes = sizesOf('.', paths);
const release = lastRelease();
const before = release === undefined ? undefined : sizesAt(release);

console.log('code lines'.padEnd(34) + ['lines', 'with imports', 'change'].map(cell).join(''));
for (const name of [...sizes.code.keys()].toSorted()) {
  const { lines, linesWithImports } = sizes.code.get(name) as Size;
  const linesBefore = before && (before.code.get(name)?.lines ?? 0);
  console.log(
    `  ${name}`.padEnd(34) + [lines, linesWithImports, changeOf(lines, linesBefore)].map(cell).join(''),
  );
}
console.log(
  'words written by hand'.padEnd(34) +
    [sizes.words, '', changeOf(sizes.words, before?.words)].map(cell).join(''),
);
console.log(`change: ${release === undefined ? 'there was no release yet' : `since ${release}`}`);
console.log(`\nlongest lines of packages\n${longestLines(paths).join('\n')}`);
