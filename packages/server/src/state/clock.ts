import type { Database } from '../store/database.ts';
import { databaseTime } from '../store/database-time.ts';

/** An estimate of the database's time, which all decisions about times use. */
export interface Clock {
  /** Returns this replica's estimate of the database's time, in milliseconds since 1970. */
  now(): number;
  /**
   * Corrects the estimate by the time of the database that a query returned. `startedAt` is performance.now() before the
   * query.
   */
  learn(time: number, startedAt: number): void;
  /** Returns how many milliseconds the replica's wall clock is ahead of the database's clock. */
  wallClockError(): number;
}

/**
 * Estimates the database's time as the monotonic clock of the process plus an offset. Each response of the database changes
 * the offset by the smallest amount that makes the estimate agree with the response. The wall clock of the replica is not
 * used.
 */
export class DatabaseClock implements Clock {
  // Before the first response of the database, the estimate is the time of this machine.
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
 * A replica erases nothing while its clock and the database's clock differ by more than this many milliseconds, because one
 * of them is wrong.
 */
export const mostDisagreement = 60_000;

class ClocksDisagree extends Error {
  override readonly name = 'ClocksDisagree';
}

/**
 * Throws ClocksDisagree if the replica's wall clock and the database's clock differ too much. Call this before erasing
 * keys or entries.
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
