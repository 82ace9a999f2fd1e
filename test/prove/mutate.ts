import { lasting } from './trial.ts';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Mutation, mutations } from './mutations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type Verdicts = Readonly<Record<string, readonly string[]>>;

export async function proveMutations(names: readonly string[]): Promise<number> {
  const chosen = mutations.filter(({ name }) => names.length === 0 || names.includes(name));
  if (chosen.length === 0)
    throw new Error(`${names.join(', ')} must be the name of a mutation: list all names with --list.`);
  const copy = await copySources();
  let unnoticed = 0;
  try {
    const before = new Map<string, readonly string[]>();
    for (const mutation of chosen) {
      for (const judge of Object.keys(mutation.fails)) {
        if (!before.has(judge)) before.set(judge, await failuresOf(copy, judge));
      }
      for (const verdict of await judge(copy, mutation, before)) {
        console.log(`${mutation.name}: ${verdict}`);
        if (!verdict.startsWith(noticed)) unnoticed++;
      }
    }
  } finally {
    await lasting.close();
  }
  console.log(`\n${chosen.length} mutations, ${unnoticed} not noticed`);
  return unnoticed;
}

const noticed = 'noticed';
const incomplete = 'the trial runs to its end';

async function judge(
  copy: string,
  { changes, fails }: Mutation,
  before: ReadonlyMap<string, readonly string[]>,
): Promise<readonly string[]> {
  const originals = new Map<string, string>();
  try {
    for (const { file, search, replace } of changes) {
      const path = join(copy, file);
      const source = await readFile(path, 'utf8');
      if (source.split(search).length !== 2)
        return [`cannot be made: expected exactly once in ${file}: ${search}`];
      if (!originals.has(path)) originals.set(path, source);
      await writeFile(
        path,
        source.replace(search, () => replace),
      );
    }
    const verdicts: string[] = [];
    for (const [trial, invariants] of Object.entries(fails)) {
      verdicts.push(await judgeTrial(copy, trial, invariants, before.get(trial) ?? []));
    }
    return verdicts;
  } finally {
    for (const [path, source] of originals) await writeFile(path, source);
  }
}

/** Tests that a table makes can have the same beginning. */
const isNamed =
  (beginning: string) =>
  (failed: string): boolean =>
    failed.startsWith(beginning);

async function judgeTrial(
  copy: string,
  trial: string,
  invariants: readonly string[],
  before: readonly string[],
): Promise<string> {
  const failsAnyway = before.find(
    (failed) => failed === incomplete || invariants.some((one) => isNamed(one)(failed)),
  );
  if (failsAnyway !== undefined)
    return `cannot be judged: ${trial} fails "${failsAnyway}" even without the mutation`;
  const failed = await failuresOf(copy, trial);
  const held = invariants.filter((invariant) => !failed.some(isNamed(invariant)));
  const found = `${trial} fails ${JSON.stringify(failed)}`;
  return held.length === 0 ? `${noticed}: ${found}` : `NOT NOTICED: ${JSON.stringify(held)}: ${found}`;
}

/** The checks that fail in a trial, or the tests that fail in a file. */
function failuresOf(copy: string, judge: string): Promise<readonly string[]> {
  return judge.endsWith('.test.ts') ? failedTests(copy, judge) : failedInvariants(copy, judge);
}

interface TestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

async function failedTests(copy: string, path: string): Promise<readonly string[]> {
  const file = join(copy, 'tests.json');
  await rm(file, { force: true });
  const args = ['run', path, '--testTimeout=60000', '--reporter=json', `--outputFile=${file}`];
  const child = spawn(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), ...args], {
    cwd: copy,
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const { testResults = [] } = JSON.parse(
    await readFile(file, 'utf8').catch(() => '{}'),
  ) as Partial<TestReport>;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.length === 0) return [incomplete];
  return tests.filter(({ status }) => status === 'failed').map(({ title }) => title);
}

async function failedInvariants(copy: string, trial: string): Promise<readonly string[]> {
  const file = join(copy, 'verdicts.json');
  await rm(file, { force: true });
  const node = ['--conditions=@eaas/source', '--import', 'tsx', 'test/prove/run.ts'];
  const args = [...node, trial, '--small', `--verdicts=${file}`];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore' });
  await once(child, 'exit');
  const verdicts = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Verdicts;
  return verdicts[trial] ?? [incomplete];
}

async function copySources(): Promise<string> {
  const copy = await lasting.newDirectory();
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await promisify(execFile)('git', list, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  for (const path of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await cp(join(root, path), join(copy, path), { force: true }).catch(() => undefined);
  }
  await linkModules(copy, '.');
  for (const name of await readdir(join(root, 'packages'))) {
    await linkModules(copy, join('packages', name));
    // What starts the tests' PostgreSQL is the built package. The tests, and the programs that they start, are made of sources.
    const built = join('packages', name, 'dist');
    if (existsSync(join(root, built))) await symlink(join(root, built), join(copy, built));
  }
  // The links to the workspaces are relative, so the links in the copied folder point to the copied packages.
  const workspaces = join('node_modules', '@eaas');
  await mkdir(join(copy, workspaces), { recursive: true });
  for (const name of await readdir(join(root, workspaces))) {
    await symlink(await readlink(join(root, workspaces, name)), join(copy, workspaces, name));
  }
  return copy;
}

async function linkModules(copy: string, folder: string): Promise<void> {
  const installed = join(root, folder, 'node_modules');
  const names = await readdir(installed).catch(() => []);
  if (names.length === 0) return;
  const links = join(copy, folder, 'node_modules');
  await mkdir(links, { recursive: true });
  for (const name of names) {
    if (name !== '@eaas' && name !== '.cache') await symlink(join(installed, name), join(links, name));
  }
}
