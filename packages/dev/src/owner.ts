import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { pid, platform } from 'node:process';
import { promisify } from 'node:util';
import { replaceFile } from '@eaas/server/internal';
import type { RunningPostgres } from './launch.ts';

export type Purpose = 'serve' | 'command';

interface Process {
  readonly pid: number;
  readonly identity: string;
}

export interface Owner extends Process {
  readonly purpose: Purpose;
  readonly postgres: Process;
  readonly socketDirectory: string;
}

/**
 * The owner file only tells other processes which process uses the data directory. PostgreSQL's lock decides who can
 * start PostgreSQL.
 */
export async function writeOwner(file: string, purpose: Purpose, postgres: RunningPostgres): Promise<void> {
  const owner: Owner = {
    ...(await processOf(pid)),
    purpose,
    postgres: await processOf(postgres.pid),
    socketDirectory: postgres.socketDirectory,
  };
  await replaceFile(file, `${JSON.stringify(owner)}\n`);
}

async function processOf(id: number): Promise<Process> {
  return { pid: id, identity: (await processIdentity(id)) ?? '' };
}

export async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Owner;
  } catch {
    // A missing or empty owner file is no error, because PostgreSQL's lock shows whether another process runs.
    return undefined;
  }
}

export async function isAlive({ pid, identity }: Process): Promise<boolean> {
  return identity !== '' && (await processIdentity(pid)) === identity;
}

export async function processIdentity(pid: number): Promise<string | undefined> {
  try {
    return platform === 'linux' ? await linuxIdentity(pid) : await psIdentity(pid);
  } catch {
    return undefined;
  }
}

async function linuxIdentity(pid: number): Promise<string | undefined> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  const namespace = await readlink('/proc/self/ns/pid');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // In /proc/<pid>/stat, the command in field 2 can contain spaces and parentheses. The state is field 3, and the start
  // time is field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return [boot.trim(), namespace, fields[19]].join(' ');
}

async function psIdentity(pid: number): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'state=,lstart=', '-p', String(pid)]);
  const [state = 'Z', ...started] = stdout.trim().split(/\s+/);
  return state.startsWith('Z') ? undefined : started.join(' ');
}
