import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { platform } from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * What tells a running process from every other that ever had its id: undefined when there is none. On Linux that holds
 * across restarts and containers; one in another container has no identity here.
 */
export async function processIdentity(pid: number): Promise<string | undefined> {
  return platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
}

async function linuxIdentity(pid: number): Promise<string | undefined> {
  try {
    const [boot, namespace, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // proc(5): the command may contain spaces and parentheses; the state is field 3 and the start time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return [boot.trim(), namespace, fields[19]].join(' ');
  } catch {
    return undefined;
  }
}

async function psIdentity(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'state=,lstart=', '-p', String(pid)]);
    const [state = 'Z', ...started] = stdout.trim().split(/\s+/);
    return state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}
