// Breaks that a test must notice: small faults, put one at a time into a copy of the sources. They are chosen by hand where a
// fault would do harm, because a tool such as Stryker makes hundreds per file, most of which change nothing that matters.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copySources, runTests } from './copied-sources.ts';
import { lasting } from './trial.ts';

export interface Break {
  readonly name: string;
  readonly file: string;
  /** What the file contains exactly once, and what stands there instead. */
  readonly find: string;
  readonly replace: string;
  /** The tests that touch the place: paths for vitest. */
  readonly tests: readonly string[];
}

type Places = Readonly<Record<string, readonly [find: string, replace: string]>>;

/** Breaks of one file, by their names. */
export const breaksIn = (file: string, tests: readonly string[], places: Places): Break[] =>
  Object.entries(places).map(([name, [find, replace]]) => ({ name, file, find, replace, tests }));

/** Of all breaks, so many must be noticed. */
const floor = 0.95;
/** Each break of these folders must be noticed: what they do wrong is wrong for every app. */
const mustNotice = /\/(?:ledger|rules|plugins)\//;

const tables = new URL('breaks/', import.meta.url);

export async function allBreaks(): Promise<readonly Break[]> {
  const names = readdirSync(tables).toSorted();
  const modules = names.map(async (name) => import(new URL(name, tables).href) as Promise<Module>);
  return (await Promise.all(modules)).flatMap(({ breaks }) => breaks);
}

interface Module {
  readonly breaks: readonly Break[];
}

/** Returns the source with the break. Throws unless there is exactly one place for it. */
export function broken(source: string, { name, file, find, replace }: Break): string {
  if (source.split(find).length !== 2) {
    throw new Error(`the break ${name} must have exactly one place in ${file}: ${find}`);
  }
  return source.replace(find, () => replace);
}

/** Returns whether enough breaks were noticed. */
export async function proveBreaks(names: readonly string[]): Promise<boolean> {
  const chosen = (await allBreaks()).filter(({ name }) => names.length === 0 || names.includes(name));
  if (chosen.length === 0) {
    throw new Error(`no break has the name ${names.join(', ')}: list them with --list.`);
  }
  const unnoticed: Break[] = [];
  try {
    const copy = await copySources();
    const failing = await failuresOf(copy, [...new Set(chosen.flatMap(({ tests }) => tests))]);
    if (failing.length > 0) throw new Error(`fails without a break too: ${failing.join('; ')}`);
    for (const each of chosen) {
      const path = join(copy, each.file);
      const source = await readFile(path, 'utf8');
      await writeFile(path, broken(source, each));
      const noticing = await failuresOf(copy, each.tests);
      await writeFile(path, source);
      if (noticing.length === 0) unnoticed.push(each);
      const said = noticing.slice(0, 3).map((title) => `\n  ${title}`);
      console.log(`${each.name}: ${said.length > 0 ? `noticed by${said.join('')}` : 'NOT NOTICED'}`);
    }
  } finally {
    await lasting.close();
  }
  console.log(`\n${chosen.length} breaks, ${unnoticed.length} not noticed`);
  for (const { name } of unnoticed) console.log(`  npm run prove -- breaks ${name}`);
  const isEnough = chosen.length - unnoticed.length >= floor * chosen.length;
  return isEnough && !unnoticed.some(({ file }) => mustNotice.test(file));
}

/** The titles of the tests that fail, and the files whose tests cannot begin. */
async function failuresOf(copy: string, paths: readonly string[]): Promise<readonly string[]> {
  // They read what the build declares.
  if (paths.some((path) => path.endsWith('.slow.test.ts'))) {
    spawnSync('npm', ['run', 'types', '--workspaces', '--if-present'], { cwd: copy });
  }
  const report = await runTests(copy, [...paths, '--bail=3']);
  // Vitest that ended without a report has judged nothing.
  if (report === undefined) throw new Error(`the tests of ${paths.join(', ')} ended without a report`);
  const unseen = paths.find((path) => !report.some(({ name }) => name.includes(path)));
  if (unseen !== undefined) throw new Error(`no test of ${unseen} runs, so it can notice nothing`);
  return report.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').map(({ title }) => title);
    return failed.length === 0 && status === 'failed' ? [`${name} fails`] : failed;
  });
}
