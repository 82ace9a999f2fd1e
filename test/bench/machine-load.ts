import { readFile } from 'node:fs/promises';
import { type Process, readProcesses } from '@eaas/test-kit/processes';

export interface Load {
  readonly others: number | undefined;
  readonly isBusy: boolean;
}

/** If other processes use more than 10 % of the CPU time, measured ratios change by several percent. */
const most = 0.1;

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
  if (others === undefined) {
    return 'not checked: only Linux reports how much CPU time other processes used during the run';
  }
  const share = `other processes used ${(100 * others).toFixed(0)} % of the CPU time`;
  return isBusy
    ? `WARNING: ${share}. Do not trust these results: stop the other processes, and repeat the run.`
    : share;
}

/** Returns CPU times in clock ticks. */
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

function ownTime(processes: readonly Process[], root = process.pid): number {
  const own = processes.find(({ pid }) => pid === root)?.time ?? 0;
  const children = processes.filter(({ parent }) => parent === root);
  return children.reduce((sum, { pid }) => sum + ownTime(processes, pid), own);
}
