import { Explained } from '../base/refusal.ts';
import type { Database } from '../store/database.ts';
import { databaseTime } from '../store/sql.ts';

export interface Clock {
  now(): number;
  /** `startedAt` is the value of `performance.now()` before the query that read `time`. */
  learn(time: number, startedAt: number): void;
  wallClockError(): number;
}

/** Estimates the database's time from earlier queries and the machine's monotonic clock. */
export class DatabaseClock implements Clock {
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
 * The largest accepted difference between the clocks of a replica and the database, in milliseconds. Beyond this limit
 * one clock is wrong, so the replica erases no data.
 */
export const mostDisagreement = 60_000;

class ClocksDisagree extends Explained {
  override readonly name = 'ClocksDisagree';
}

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

let known = { month: '', first: 0, end: 0 };

/** Returns the month of a time, as in 2026-11, in UTC. Remembers the last one, because every append asks. */
export function monthOf(time: number): string {
  if (time < known.first || time >= known.end) {
    const date = new Date(time);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    known = {
      month: date.toISOString().slice(0, 7),
      first: Date.UTC(year, month),
      end: Date.UTC(year, month + 1),
    };
  }
  return known.month;
}
