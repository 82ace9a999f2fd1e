import { setTimeout as sleep } from 'node:timers/promises';
import type { Findings } from '../trial.ts';
import type { UnderLoad } from './under-load.ts';

const backWithinMilliseconds = 5_000;

export async function recovers(
  findings: Findings,
  bench: Pick<UnderLoad, 'backAfter' | 'checkNoRefusal'>,
  what: string,
): Promise<void> {
  const endedAt = performance.now();
  const waited = await bench.backAfter(endedAt, 2 * backWithinMilliseconds);
  findings.longest(`${what} back after`, waited);
  const found = `${what}: ${Math.round(waited)} ms`;
  findings.check(
    `both servers serve again within ${backWithinMilliseconds} ms`,
    waited < backWithinMilliseconds,
    found,
  );
  await sleep(1_500);
  bench.checkNoRefusal(
    'when all servers serve again, every request succeeds',
    performance.now() - 1_000,
    `${what}: `,
  );
}
