import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseFault } from '@eaas/server/internal';
import { note } from './output.ts';

export const shortestPause = 1_000;
const longestPause = 30_000;

/**
 * Calls `poll` again and again until `stop` aborts. After each call, it pauses for the number of milliseconds that
 * `poll` returned. If the database cannot be reached, the pauses become longer until `poll` succeeds.
 */
export async function pollUntil(stop: AbortSignal, poll: () => Promise<number>): Promise<void> {
  let failures = 0;
  while (!stop.aborted) {
    let pause: number;
    try {
      pause = await poll();
      failures = 0;
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      if (failures++ === 0)
        note('The database cannot be reached. The output continues as soon as the database responds.');
      pause = Math.min(longestPause, shortestPause * 2 ** failures);
    }
    await sleep(pause, undefined, { signal: stop }).catch(() => {});
  }
}

export function untilSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
