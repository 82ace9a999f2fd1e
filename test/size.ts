// The weight of the repository. `most` is what a row has today, without lines of imports: it goes down, and rises only in the commit
// of a feature that brings its own figure. `aim` is what it should come to, with imports. `npm run check` fails over `most`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Weight {
  readonly most: number;
  readonly aim: number;
}

/** Code lines, which are neither blank nor comments, of what a package ships. */
const packages: Readonly<Record<string, Weight>> = {
  protocol: { most: 5_290, aim: 5_550 },
  service: { most: 5_191, aim: 5_500 },
  local: { most: 1_896, aim: 2_200 },
  sdk: { most: 7_097, aim: 7_700 },
  migrate: { most: 2_823, aim: 3_000 },
  audit: { most: 1_094, aim: 1_200 },
  drizzle: { most: 1_920, aim: 2_150 },
  prisma: { most: 1_936, aim: 2_100 },
  kysely: { most: 166, aim: 180 },
  files: { most: 1_384, aim: 1_600 },
  console: { most: 5_835, aim: 6_350 },
  server: { most: 5_029, aim: 5_350 },
  log: { most: 941, aim: 1_200 },
  dev: { most: 743, aim: 850 },
  cli: { most: 2_862, aim: 3_250 },
};
const sites = { 'docs/site': { most: 1_068, aim: 1_063 }, examples: { most: 1_325, aim: 1_726 } };
const tests: Weight = { most: 72_899, aim: 69_500 };
const handwritten: Weight = { most: 66_472, aim: 66_500 };
const longestLine = 140;
const printWidth = 110;

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n').filter(existsSync);
const read = (path: string): string => readFileSync(path, 'utf8');
const sum = (paths: readonly string[], measure: (path: string) => number): number =>
  paths.reduce((total, path) => total + measure(path), 0);

const statementsOfImports = /^import\b[^;]*;$/gm;

function codeLines(text: string): number {
  let isInComment = false;
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => {
      const isComment = isInComment || line.startsWith('/*') || line.startsWith('<!--');
      if (isComment) isInComment = !/\*\/|-->/.test(line);
      return line !== '' && !isComment && !/^(?:\/\/|-- )/.test(line);
    }).length;
}

/** Without the tables between `<!-- table: … -->` or `<!-- generated: … -->` and their end, which programs write. */
const words = (path: string): number =>
  read(path)
    .replace(/<!-- (?:table|generated): .*?<!-- (?:\/table|end) -->/gs, '')
    .split(/\s+/)
    .filter(Boolean).length;

// What a release has kept is data.
const isCode = (path: string): boolean =>
  /\.(?:tsx?|[mc]?js|css|sql|vue)$/.test(path) && !/^test\/kept\/\d/.test(path);
const isTest = (path: string): boolean =>
  /^test\/|^packages\/[^/]+\/test\/|\.test\.tsx?$|\/testing\/|^vitest\.config\.ts$/.test(path);

/** The given files and all that they import by relative paths, whatever its name says. */
function withImports(paths: readonly string[]): Set<string> {
  const found = new Set(paths);
  for (const path of found) {
    for (const [, specifier = ''] of read(path).matchAll(/(?:from|import|import\()\s*'(\.{1,2}\/[^']+)'/g)) {
      const imported = join(dirname(path), specifier);
      if (tracked.includes(imported) && isCode(imported)) found.add(imported);
    }
  }
  return found;
}

const code = tracked.filter(isCode);
const shipped = withImports(code.filter((path) => path.startsWith('packages/') && !isTest(path)));
const rowOf = (path: string): string | undefined => {
  if (shipped.has(path)) return path.split('/')[1];
  return isTest(path) ? 'tests' : Object.keys(sites).find((folder) => path.startsWith(`${folder}/`));
};
const inRow = (name: string): string[] => code.filter((path) => rowOf(path) === name);

const faults: string[] = [];
let overAims = 0;
const cell = (value: number | string): string => value.toLocaleString('en').padStart(14);
function row(name: string, is: number, { most, aim }: Weight, withImports = is): void {
  if (is > most) faults.push(`${name.trim()}: over by ${(is - most).toLocaleString('en')}`);
  overAims += Math.max(0, withImports - aim);
  console.log(name.padEnd(34) + [is, most, withImports, aim].map(cell).join(''));
}
function codeRow(name: string, of: string, weight: Weight): void {
  const texts = inRow(of).map(read);
  const linesOf = (change: (text: string) => string): number =>
    texts.reduce((lines, text) => lines + codeLines(change(text)), 0);
  row(
    name,
    linesOf((text) => text.replace(statementsOfImports, '')),
    weight,
    linesOf((text) => text),
  );
}

console.log('code lines'.padEnd(34) + ['is', 'most', 'with imports', 'aim'].map(cell).join(''));
for (const [name, weight] of Object.entries(packages)) codeRow(`  packages/${name}`, name, weight);
for (const [folder, weight] of Object.entries(sites)) codeRow(`  ${folder}`, folder, weight);
const allLines = (path: string): number => read(path).trimEnd().split('\n').length;
row('lines of tests, bench and prove', sum(inRow('tests'), allLines), tests);
const isHandwritten = (path: string): boolean =>
  path.endsWith('.md') && !/^\.changeset|\/docs\/reference\/|CHANGELOG/.test(path);
row('words written by hand', sum(tracked.filter(isHandwritten), words), handwritten);
console.log(`over the aims, all together: ${overAims.toLocaleString('en')}`);

const tooLong = code
  .filter((path) => path.startsWith('packages/'))
  .flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, index) => (line.length > longestLine ? [`${path}:${index + 1}`] : [])),
  );
faults.push(...tooLong.map((place) => `${place}: over ${longestLine} characters`));

const rows = new Set([...Object.keys(packages), ...Object.keys(sites), 'tests']);
for (const path of code) if (!rows.has(rowOf(path) ?? '')) faults.push(`${path}: in no row of test/size.ts`);
const formatted = (JSON.parse(read('.oxfmtrc.json')) as { printWidth?: number }).printWidth;
if (formatted !== printWidth) faults.push(`.oxfmtrc.json: printWidth is ${formatted}, not ${printWidth}`);

if (faults.length > 0) {
  console.error(`\n${faults.join('\n')}`);
  process.exitCode = 1;
}
