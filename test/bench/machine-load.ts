import { readdir, readFile } from 'node:fs/promises';

export interface Load {
  /**
   * The share of the machine's CPU time that other processes used. Undefined if the platform does not report this time.
   */
  readonly others: number | undefined;
  readonly isBusy: boolean;
}

/**
 * The largest share of other processes in a trusted run. Above it, they change the ratio of two speeds by more than a
 * few percent.
 */
const most = 0.1;

/** Begins a measurement, and returns a function that ends it. */
export async function watchMachine(): Promise<() => Promise<Load>> {
  const before = await read();
  return async () => {
    const after = await read();
    if (!before || !after) return { others: undefined, isBusy: false };
    const busy = after.busy - before.busy - (after.own - before.own);
    const others = Math.max(0, busy / (after.all - before.all));
    return { others, isBusy: others > most };
  };
}

export function describeLoad({ others, isBusy }: Load): string {
  if (others === undefined)
    return 'not checked: only Linux reports how much CPU time other processes used during the run';
  const share = `other processes used ${(100 * others).toFixed(0)} % of the CPU time`;
  return isBusy
    ? `WARNING: ${share}. Do not trust these results: stop the other processes, and repeat the run.`
    : share;
}

/** All times are in clock ticks. */
async function read() {
  try {
    const [, ...columns] =
      (await readFile('/proc/stat', 'utf8')).split('\n', 1)[0]?.trim().split(/\s+/) ?? [];
    const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0] =
      columns.map(Number);
    const busy = user + nice + system + irq + soft + steal;
    return { busy, all: busy + idle + wait, own: ownTime(await readProcesses()) };
  } catch {
    return undefined;
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** The CPU time of the process and of its ended children, for which it has waited. */
  readonly time: number;
}

export async function readProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.filter(Boolean).map(parseProcess);
}

export function parseProcess(stat: string): Process {
  // Reads the columns after the last parenthesis, because the name of the process is in parentheses and can contain any
  // character.
  const columns = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const time = columns.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0);
  return { pid: Number.parseInt(stat, 10), parent: columns[1] ?? 0, time };
}

/** The time of a process and of all processes that descend from it. */
export function ownTime(processes: readonly Process[], root = process.pid): number {
  const own = processes.find(({ pid }) => pid === root)?.time ?? 0;
  const children = processes.filter(({ parent }) => parent === root);
  return children.reduce((sum, { pid }) => sum + ownTime(processes, pid), own);
}
