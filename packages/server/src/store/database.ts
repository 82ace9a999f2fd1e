import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, openPool, type Pool, type Transaction } from './sql.ts';

/** The database took longer than a caller can wait. */
export class DatabaseSlow extends Error {
  override readonly name = 'DatabaseSlow';
}

/**
 * A pool that can be replaced. postgres.js has no time limit of its own for a query, and a connection that hangs
 * takes with it what is queued behind it; so what does not answer in time is abandoned together with its pool.
 */
export class Database {
  readonly #connection: Connection;
  readonly #max: number;
  #pool: Pool;

  constructor(connection: Connection, max = 10) {
    this.#connection = connection;
    this.#max = max;
    this.#pool = openPool(connection, max);
  }

  /** Runs a piece of work, and gives up on it after a while. What it did until then may stand or not. */
  async run<T>(work: (sql: Pool) => Promise<T>, milliseconds = 3_000): Promise<T> {
    const pool = this.#pool;
    return withDeadline(work(pool), milliseconds, () => this.replace(pool));
  }

  /** A transaction: all of it or nothing. Its locks end with it, and it with a connection that is lost. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, milliseconds = 4_000): Promise<T> {
    return this.run(
      (sql) =>
        sql.begin(async (tx) => {
          await tx`select set_config('idle_in_transaction_session_timeout', '5000', true),
            set_config('lock_timeout', '4000', true)`;
          return work(tx);
        }) as Promise<T>,
      milliseconds,
    );
  }

  /** Several reads of one moment. */
  async snapshot<T>(work: (tx: Transaction) => Promise<T>, milliseconds = 2_000): Promise<T> {
    return this.run(
      (sql) => sql.begin('isolation level repeatable read read only', work) as Promise<T>,
      milliseconds,
    );
  }

  /** Leaves a pool that hangs or broke, and opens another. */
  replace(broken: Pool = this.#pool): void {
    if (broken !== this.#pool) return;
    this.#pool = openPool(this.#connection, this.#max);
    void endQuietly(broken, 0);
  }

  async close(): Promise<void> {
    await endQuietly(this.#pool, 3);
  }
}

async function endQuietly(pool: Pool, seconds: number): Promise<void> {
  try {
    await pool.end({ timeout: seconds });
  } catch {
    // It was broken; there is nothing left to close.
  }
}

async function withDeadline<T>(work: Promise<T>, milliseconds: number, giveUp: () => void): Promise<T> {
  const timer = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: timer.signal }).then(() => {
    giveUp();
    throw new DatabaseSlow(`the database did not answer within ${milliseconds} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
    work.catch(() => {});
  }
}
