// The weight of the repository against its budgets; `npm run check` fails over one. Code lines are lines that are neither
// blank nor comments. A budget only goes down, except for a feature that brings its own figure, in its own commit.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Code lines of what a package ships. A package may be 5 % over its budget while the sum of all holds. */
const packages: Readonly<Record<string, number>> = {
  protocol: 5_248,
  service: 4_842,
  local: 2_151,
  sdk: 7_036,
  migrate: 2_190,
  audit: 800,
  drizzle: 2_000,
  prisma: 2_500,
  files: 1_729,
  console: 8_205,
  server: 5_368,
  log: 1_165,
  dev: 1_078,
  cli: 3_338,
};
/** What corrections of faults cost beyond the budgets above: each a promise that the code did not keep. */
const corrections: readonly { of: string; lines: number; what: string }[] = [
  {
    of: 'server',
    lines: 9,
    what: 'bodies of refused requests are discarded slowly: one tenant holds nobody up',
  },
  { of: 'protocol', lines: 9, what: 'a person whose name is a UUID is one person in any case' },
  { of: 'sdk', lines: 8, what: 'an erasure takes no list down, and the types say which values are null' },
  { of: 'cli', lines: 6, what: 'SIGTERM to npx ends the command that it started' },
  { of: 'console', lines: 8, what: 'the audit page asks for a proof only when told to' },
  { of: 'server', lines: 2, what: 'many jobs do not look like a leak of listeners' },
  { of: 'protocol', lines: 1, what: 'source maps name no folder of the machine that built them' },
  { of: 'cli', lines: 2, what: 'verify-file accuses nobody of another log, or of one that begins later' },
  { of: 'protocol', lines: 1, what: 'a proof names the witnesses whose signatures count' },
  { of: 'log', lines: 5, what: 'moments are an interval apart, however many workers make them' },
  { of: 'log', lines: 22, what: 'the log signs only heads that the service wrote' },
  {
    of: 'server',
    lines: 12,
    what: 'heads of the public log need a MAC that holds, and verify compares what it proved',
  },
  { of: 'protocol', lines: 15, what: 'keys and claims of a sign-in have limits, and are in no list' },
  { of: 'server', lines: 2, what: 'a new sign-in is compared with others without reading their keys' },
  { of: 'console', lines: 3, what: 'the page of sign-ins reads the one that it shows' },
  { of: 'sdk', lines: 4, what: 'a listed sign-in is checked as lists show it' },
  { of: 'local', lines: 2, what: 'a listed sign-in has no keys' },
  { of: 'server', lines: 3, what: 'signatures are verified two at a time, tenant by tenant' },
  { of: 'protocol', lines: 18, what: 'what a user asks for others is one entry, and in nobody’s report' },
  {
    of: 'server',
    lines: 9,
    what: 'users learn nothing about other subjects, and new ones are made one a step',
  },
  {
    of: 'prisma',
    lines: 5,
    what: 'an erasure takes no list down, and the row of an erased person can be deleted',
  },
  { of: 'protocol', lines: 2, what: 'a 401 says since when an API key has expired or is revoked' },
  { of: 'sdk', lines: 7, what: 'a row that names nobody fails alone, in the mode that the call chose' },
  {
    of: 'sdk',
    lines: 12,
    what: 'a subject is one in any case and never undefined; the caches are bounded in number and bytes',
  },
  { of: 'sdk', lines: 18, what: 'a client asks no more about a person whom the service called erased' },
  {
    of: 'sdk',
    lines: 6,
    what: 'a page over http gets an error, and the first value without a context is an event',
  },
  { of: 'protocol', lines: 4, what: 'Node 18 is told the version that it needs' },
  {
    of: 'sdk',
    lines: 5,
    what: 'errors speak of calls, name the index key, and say what is wrong with a key or ciphertext',
  },
  { of: 'sdk', lines: 2, what: 'errors name options, not query parameters' },
  {
    of: 'sdk',
    lines: 4,
    what: 'server mode refuses an undefined subject, and asks nothing about the erased',
  },
  { of: 'protocol', lines: 6, what: 'a local service answers at the edge of Next.js, whose channels throw' },
  { of: 'local', lines: 10, what: 'a client of sealed keys in module scope starts in Workers' },
  { of: 'local', lines: 26, what: 'after a leak, a new key takes the place of the one in the variable' },
];
const mostCorrections = 250;
const sites = { 'docs/site': 1_029, examples: 1_194 };
const mostTestLines = 73_145;
const mostWords = 92_000;
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
const corrected = (name?: string): number =>
  corrections.reduce((lines, one) => lines + (name === undefined || one.of === name ? one.lines : 0), 0);
for (const [name, figure] of Object.entries(packages)) {
  const budget = figure + corrected(name);
  row(`  packages/${name}`, sum(inRow(name), codeLines), budget, Math.floor(budget * 1.05));
}
const total = Object.values(packages).reduce((lines, budget) => lines + budget, corrected());
row('  all packages', sum(Object.keys(packages).flatMap(inRow), codeLines), total);
row('  corrections, within the sum', corrected(), mostCorrections);
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
