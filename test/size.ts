// Prints what the repository weighs, beside a budget for each part. A budget is a guide and not a test: a feature that
// needs more amends it here, with its own figure.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const lines = (path: string): number => readFileSync(path, 'utf8').trimEnd().split('\n').length;
/** Without the tables between `<!-- table: … -->` or `<!-- generated: … -->` and their end, which programs write. */
const words = (path: string): number =>
  readFileSync(path, 'utf8')
    .replace(/<!-- (?:table|generated): .*?<!-- (?:\/table|end) -->/gs, '')
    .split(/\s+/)
    .filter(Boolean).length;
const sum = (paths: readonly string[], measure: (path: string) => number): number =>
  paths.reduce((total, path) => total + measure(path), 0);

const isTest = (path: string): boolean => /\.test\.tsx?$|\/src\/(?:.*\/)?testing\//.test(path);
const isSource = (path: string): boolean =>
  /^packages\/[^/]+\/(?:src|bin|build\.ts)/.test(path) && /\.(?:tsx?|mjs|css)$/.test(path);
const source = files.filter((path) => isSource(path) && !isTest(path));
const tests = files.filter(
  (path) => !source.includes(path) && /^(?:packages|test)\/.*\.(?:tsx?|mjs)$/.test(path),
);
const prose = files.filter((path) => path.endsWith('.md') && !/^\.changeset|\/docs\/reference\//.test(path));

const budgets: Readonly<Record<string, number>> = {
  protocol: 5_200,
  local: 1_900,
  sdk: 11_300,
  drizzle: 3_600,
  prisma: 2_450,
  files: 1_700,
  console: 6_400,
  server: 9_070,
  'root-keys': 2_500,
  fleet: 2_500,
  log: 1_200,
  dev: 2_500,
  'cli-kit': 300,
  cli: 2_650,
};

const row = (name: string, is: number, budget: number): void =>
  console.log(
    `${name.padEnd(34)}${is.toLocaleString('en').padStart(9)}${budget.toLocaleString('en').padStart(9)}` +
      (is > budget ? `  over by ${(is - budget).toLocaleString('en')}` : ''),
  );

console.log(`${'lines of source'.padEnd(34)}${'is'.padStart(9)}${'budget'.padStart(9)}`);
for (const [name, budget] of Object.entries(budgets)) {
  row(
    `  packages/${name}`,
    sum(
      source.filter((path) => path.startsWith(`packages/${name}/`)),
      lines,
    ),
    budget,
  );
}
row('  all', sum(source, lines), 46_800);
row('lines of tests, bench and prove', sum(tests, lines), 56_500);
row('words written by hand', sum(prose, words), 74_000);
row('files', files.length, 1_300);
