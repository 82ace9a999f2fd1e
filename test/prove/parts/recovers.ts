import { setTimeout as sleep } from 'node:timers/promises';
import { succeeded, tally } from '../../faults/load.ts';
import type { Findings } from '../trial.ts';
import type { UnderLoad } from './under-load.ts';

/** In milliseconds. */
const backWithin = 5_000;

/** Checks that both servers serve again after a fault that has just ended. */
export async function recovers(
  findings: Findings,
  bench: Pick<UnderLoad, 'backAfter' | 'between'>,
  what: string,
): Promise<void> {
  const endedAt = performance.now();
  const waited = await bench.backAfter(endedAt, 2 * backWithin);
  findings.figure(what, `back after ${Math.round(waited)} ms`);
  const found = `${what}: ${Math.round(waited)} ms`;
  findings.check(`both servers serve again within ${backWithin} ms`, waited < backWithin, found);
  await sleep(1_500);
  const now = performance.now();
  const calm = bench.between(now - 1_000, now);
  const isCalm = calm.length > 0 && calm.every(succeeded);
  findings.check('nothing is refused once both serve', isCalm, `${what}: ${JSON.stringify(tally(calm))}`);
}
