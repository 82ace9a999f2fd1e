// A copy of the sources into which `npm run prove -- breaks` puts faults, and runs of the tests there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lasting } from './trial.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface TestedFile {
  /** Its path in the sources. */
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
}

/** Copies the sources and what is built, because tests start the built program for PostgreSQL. The rest is linked. */
export async function copySources(): Promise<string> {
  const copy = await lasting.newDirectory();
  const filter = (path: string): boolean => !/\/(?:node_modules|\.git)$/.test(path);
  const verbatim = { recursive: true, verbatimSymlinks: true };
  await cp(root, copy, { ...verbatim, filter });
  const packages = await readdir(join(root, 'packages'));
  for (const folder of ['.', ...packages.map((name) => join('packages', name))]) {
    const installed = join(root, folder, 'node_modules');
    if (!existsSync(installed)) continue;
    const links = join(copy, folder, 'node_modules');
    await mkdir(links);
    for (const name of await readdir(installed)) {
      // The links to the workspaces are relative, so copies of them lead to the copied packages.
      if (name === '@eaas') await cp(join(installed, name), join(links, name), verbatim);
      else if (name !== '.cache') await symlink(join(installed, name), join(links, name));
    }
  }
  return copy;
}

/** Runs vitest in the copy. Returns what it reports, or undefined if it reports nothing, as in a loop without an end. */
export async function runTests(
  copy: string,
  args: readonly string[],
  minutes = 30,
): Promise<readonly TestedFile[] | undefined> {
  const file = join(copy, 'tests.json');
  await rm(file, { force: true });
  const program = join('node_modules', 'vitest', 'vitest.mjs');
  const options = ['run', '--reporter=json', `--outputFile=${file}`, ...args];
  // A process group of its own, because a worker in a loop without an end outlives vitest.
  const child = spawn(process.execPath, [program, ...options], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  });
  const end = (): boolean => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  const timer = setTimeout(end, minutes * 60_000);
  process.on('exit', end);
  await once(child, 'exit');
  process.off('exit', end);
  clearTimeout(timer);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { testResults } = JSON.parse(text) as { testResults: readonly TestedFile[] };
  return testResults.map(({ name, status, assertionResults }) => ({
    name: relative(copy, name),
    status,
    assertionResults,
  }));
}
