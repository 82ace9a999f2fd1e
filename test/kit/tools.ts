import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The folder, from the root of the repository, that has the lock file of the tools. */
export type Tools = `${string}/${string}`;

export async function requireTools(name: Tools): Promise<string> {
  const folder = fileURLToPath(new URL(`../../${name}/`, import.meta.url));
  const modules = join(folder, 'node_modules');
  const locked = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const note = join(modules, '.installed-lock.json');
  const isInstalled = (): boolean => contentOf(note) === locked;
  if (isInstalled()) return modules;
  const release = await acquire(join(folder, '.installing'));
  try {
    // Another process may have installed the packages while this process waited for the lock.
    if (isInstalled()) return modules;
    const shell = process.platform === 'win32';
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, shell });
    writeFileSync(note, locked);
    return modules;
  } catch (cause) {
    throw new Error(
      `\`npm ci\` failed in ${folder}, so the tools for these tests are missing: run it there, and correct the error`,
      { cause },
    );
  } finally {
    release();
  }
}

async function acquire(lock: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    await sleep(250);
  }
}

function isAbandoned(lock: string): boolean {
  try {
    process.kill(Number(contentOf(lock)), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
