import type { Database } from '../store/database.ts';
import { databaseTime } from '../store/database-time.ts';

/** An estimate of the database's time. All decisions about times use this estimate. */
export interface Clock {
  /** Returns the replica's estimate of the database's time, in milliseconds since 1970. */
  now(): number;
  /**
   * Corrects the estimate with the database's time that a query returned. `startedAt` is performance.now() before the
   * query.
   */
  learn(time: number, startedAt: number): void;
  /** Returns by how many milliseconds the replica's wall clock is ahead of the database's clock. */
  wallClockError(): number;
}

/**
 * Estimates the database's time as the monotonic clock of the process plus an offset. Each database response changes
 * the offset by the smallest amount that makes the estimate agree with the response. The replica's wall clock is not
 * used, because it can be set wrong.
 */
export class DatabaseClock implements Clock {
  // Before the first response of the database, the estimate is the time of the replica's machine.
  #offset = performance.timeOrigin;

  now(): number {
    return Math.floor(performance.now() + this.#offset);
  }

  learn(time: number, startedAt: number): void {
    const [least, most] = [time - performance.now(), time + 1 - startedAt];
    this.#offset = Math.min(Math.max(this.#offset, least), most);
  }

  wallClockError(): number {
    return Date.now() - this.now();
  }
}

export async function readClock({ database, clock }: { database: Database; clock: Clock }): Promise<void> {
  const startedAt = performance.now();
  clock.learn(await database.run(databaseTime, 2_000), startedAt);
}

/**
 * The maximum difference in milliseconds between the clocks of the replica and the database at which the replica erases
 * data. If the difference is larger, one of the clocks is wrong.
 */
export const mostDisagreement = 60_000;

class ClocksDisagree extends Error {
  override readonly name = 'ClocksDisagree';
}

/**
 * Throws ClocksDisagree if the clocks of the replica and the database differ too much. Call this function before data
 * is erased.
 */
export async function requireAgreement(service: { database: Database; clock: Clock }): Promise<void> {
  await readClock(service);
  const ahead = service.clock.wallClockError();
  if (Math.abs(ahead) <= mostDisagreement) return;
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  throw new ClocksDisagree(
    `nothing is erased while the clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's: ` +
      'correct the clock that is wrong',
  );
}

export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}
