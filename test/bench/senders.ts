import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '@eaas/test-kit/faults/place';
import { Burst } from './burst.ts';

const mostAttempts = 10;

/** Repeats a failed measurement, because a request can fail on a busy machine. */
export async function repeated<T>(measure: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await measure();
    } catch (error) {
      if (attempt === mostAttempts) throw error;
      await sleep(1_000);
    }
  }
}

export interface Sender {
  readonly text: string | (() => string);
  readonly replica: Pick<Replica, 'port' | 'pid'>;
  readonly connections: number;
}

/** Opens new connections for each measurement, because the server closes connections that are idle for a minute. */
export async function withSenders<T>(
  senders: readonly Sender[],
  warmUp: number,
  measure: (bursts: readonly Burst[]) => Promise<T>,
): Promise<T> {
  const bursts = await Promise.all(
    senders.map(({ text, replica, connections }) => Burst.open(replica.port, text, connections)),
  );
  try {
    await Promise.all(bursts.map((one) => one.run(warmUp / bursts.length)));
    const before = refusedBy(bursts);
    const measured = await measure(bursts);
    if (refusedBy(bursts) > before) {
      throw new Error(
        'the server refused requests, because the machine is too busy: stop other programs and run the benchmark again',
      );
    }
    return measured;
  } finally {
    for (const burst of bursts) burst.close();
  }
}

const refusedBy = (bursts: readonly Burst[]): number => bursts.reduce((sum, { refused }) => sum + refused, 0);
