// The weight of the repository against its budgets; `npm run check` fails over one. Code lines are lines that are neither
// blank nor comments. A budget only goes down, except for a feature that brings its own figure, in its own commit.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Code lines of what a package ships. A package may be 5 % over its budget while the sum of all holds. */
const packages: Readonly<Record<string, number>> = {
  protocol: 5_738,
  service: 5_820,
  local: 2_193,
  sdk: 7_359,
  migrate: 2_574,
  audit: 1_188,
  drizzle: 2_100,
  prisma: 2_030,
  files: 1_596,
  console: 6_343,
  server: 5_635,
  log: 1_163,
  dev: 838,
  cli: 3_148,
};
const sites = { 'docs/site': 1_063, examples: 1_726 };
const mostTestLines = 70_993;
const mostWords = 70_550;
const longestLine = 140;
const printWidth = 110;

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n').filter(existsSync);
const read = (path: string): string => readFileSync(path, 'utf8');
const sum = (paths: readonly string[], measure: (path: string) => number): number =>
  paths.reduce((total, path) => total + measure(path), 0);

function codeLines(path: string): number {
  let isInComment = false;
  return read(path)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => {
      const isComment = isInComment || line.startsWith('/*') || line.startsWith('<!--');
      if (isComment) isInComment = !/\*\/|-->/.test(line);
      return line !== '' && !isComment && !line.startsWith('//');
    }).length;
}

/** Without the tables between `<!-- table: … -->` or `<!-- generated: … -->` and their end, which programs write. */
const words = (path: string): number =>
  read(path)
    .replace(/<!-- (?:table|generated): .*?<!-- (?:\/table|end) -->/gs, '')
    .split(/\s+/)
    .filter(Boolean).length;

const isCode = (path: string): boolean => /\.(?:tsx?|[mc]?js|css|vue)$/.test(path);
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
function row(name: string, is: number, budget: number, most = budget): void {
  const over = is > most ? `  over by ${(is - most).toLocaleString('en')}` : '';
  if (over !== '') faults.push(`${name.trim()}:${over}`);
  console.log(
    name.padEnd(44) + is.toLocaleString('en').padStart(9) + budget.toLocaleString('en').padStart(9) + over,
  );
}

console.log(`${'code lines'.padEnd(44)}${'is'.padStart(9)}${'budget'.padStart(9)}`);
for (const [name, budget] of Object.entries(packages))
  row(`  packages/${name}`, sum(inRow(name), codeLines), budget, Math.floor(budget * 1.05));
const total = Object.values(packages).reduce((lines, budget) => lines + budget, 0);
row('  all packages', sum(Object.keys(packages).flatMap(inRow), codeLines), total);
for (const [folder, budget] of Object.entries(sites))
  row(`  ${folder}`, sum(inRow(folder), codeLines), budget);
const allLines = (path: string): number => read(path).trimEnd().split('\n').length;
row('lines of tests, bench and prove', sum(inRow('tests'), allLines), mostTestLines);
row(
  'words written by hand',
  sum(
    tracked.filter(
      (path) => path.endsWith('.md') && !/^\.changeset|\/docs\/reference\/|CHANGELOG/.test(path),
    ),
    words,
  ),
  mostWords,
);

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
