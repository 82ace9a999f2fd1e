import { readdir, readFile } from 'node:fs/promises';
import { runs } from '../../packages/dev/src/account.ts';

/** The words before a program that Linux stops when this process dies, even by SIGKILL. */
export async function endingWithUs(): Promise<string[]> {
  const words = ['setpriv', '--pdeathsig=INT', '--'];
  return (await runs([...words, 'true'])) ? words : [];
}

export type Process = ReturnType<typeof parseProcess>;

export async function readProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.filter(Boolean).map(parseProcess);
}

function parseProcess(stat: string) {
  // In `/proc/<pid>/stat`, the process name is in parentheses and can itself contain `)`. The numbers therefore begin
  // after the last `)`.
  const columns = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  // The CPU time of the process and of its ended children, in clock ticks.
  const time = columns.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0);
  return { pid: Number.parseInt(stat, 10), parent: columns[1] ?? 0, time };
}

export async function childrenOf(pid: number): Promise<number[]> {
  const children = (await readProcesses()).filter(({ parent }) => parent === pid);
  return children.map((child) => child.pid);
}

/** The current or the peak memory of a process, in MiB. */
export async function memoryOf(pid: number, which: 'current' | 'peak'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const line = which === 'current' ? /^VmRSS:\s+(\d+) kB$/m : /^VmHWM:\s+(\d+) kB$/m;
  return Number(line.exec(status)?.[1] ?? 0) / 1024;
}
