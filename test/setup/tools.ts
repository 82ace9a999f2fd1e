import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

interface Locked {
  readonly version?: string;
  readonly optional?: boolean;
}

/** What the tests and benchmarks bring along, each folder with a lock of its own: the root's `npm ci` installs none. */
export type Tools = 'peers' | 'reference' | 'runtimes';

/** Where the folder's `node_modules` is, installed now if it is not what the lock says. */
export async function requireTools(name: Tools): Promise<string> {
  const folder = fileURLToPath(new URL(`../tools/${name}/`, import.meta.url));
  const modules = join(folder, 'node_modules');
  if (isInstalled(folder)) return modules;
  const release = await alone(join(folder, '.installing'));
  try {
    // Another run may have done it meanwhile.
    if (!isInstalled(folder)) await install(name, folder);
  } finally {
    release();
  }
  return modules;
}

/** Whether npm's own note of what it installed, which it writes last, agrees with the lock. */
function isInstalled(folder: string): boolean {
  const installed = packagesOf(join(folder, 'node_modules/.package-lock.json'));
  const locked = packagesOf(join(folder, 'package-lock.json'));
  if (!installed || !locked) return false;
  return Object.entries(locked).every(([path, { version, optional }]) => {
    const found = installed[path];
    return path === '' || (found ? found.version === version : optional === true);
  });
}

function packagesOf(lock: string): Readonly<Record<string, Locked>> | undefined {
  try {
    return (JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, Locked> }).packages;
  } catch {
    return undefined;
  }
}

async function install(name: Tools, folder: string): Promise<void> {
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
  });
  let said = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const status = await new Promise((resolve, reject) => npm.once('close', resolve).once('error', reject));
  if (status === 0 && isInstalled(folder)) return;
  throw new Error(`\`npm ci\` in test/tools/${name} failed, and these tests cannot run without it:\n${said}`);
}

/** Waits until this process holds the lock; answers what gives it back. */
async function alone(lock: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isLeft(lock)) rmSync(lock, { force: true });
    await sleep(250);
  }
}

/** Whether the process that took the lock was ended before it could give it back. */
function isLeft(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
