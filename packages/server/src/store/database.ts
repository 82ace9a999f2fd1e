import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSlow, isConnectionLost } from './faults.ts';
import { type Connection, openPool, type Pool, type Transaction } from './sql.ts';

/** So many milliseconds a pool that is left has to finish what it does. */
const grace = 5_000;

/**
 * A pool that can be replaced. postgres.js has no time limit of its own for a query, and a connection that hangs
 * takes with it what is queued behind it; so what does not answer in time is abandoned together with its pool. Nor does
 * it always open a lost connection again: it may keep bytes for it that it never sends, so the pool is left then too.
 */
export class Database {
  readonly #connection: Connection;
  readonly #max: number;
  readonly #left = new Set<Pool>();
  #pool: Pool;

  constructor(connection: Connection, max = 10) {
    this.#connection = connection;
    this.#max = max;
    this.#pool = openPool(this.#connection, this.#max);
  }

  /** Runs a piece of work, and gives up on it after a while. What it did until then may stand or not. */
  async run<T>(work: (sql: Pool) => Promise<T>, milliseconds = 3_000): Promise<T> {
    const pool = this.#pool;
    try {
      return await withDeadline(work(pool), milliseconds);
    } catch (error) {
      if (error instanceof DatabaseSlow || isConnectionLost(error)) this.#leave(pool);
      throw error;
    }
  }

  /**
   * A transaction: all of it or nothing. Its locks end with it, and it with a connection that is lost or a client that
   * says nothing more. Between the messages of one statement only PostgreSQL 17 and later notice that.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, milliseconds = 4_000): Promise<T> {
    const limit = String(0.75 * milliseconds);
    return this.#begin('', milliseconds, async (tx) => {
      await tx`select set_config('idle_in_transaction_session_timeout', '5000', true),
        set_config('lock_timeout', '3000', true), set_config('statement_timeout', ${limit}, true),
        case when current_setting('server_version_num')::int >= 170000
          then set_config('transaction_timeout', ${String(milliseconds + 1_000)}, true) end`;
      return work(tx);
    });
  }

  /** Several reads of one moment. PostgreSQL itself gives up on a statement that takes too long. */
  async snapshot<T>(work: (tx: Transaction) => Promise<T>, milliseconds = 2_000): Promise<T> {
    const limit = String(0.9 * milliseconds);
    return this.#begin('isolation level repeatable read read only', milliseconds, async (tx) => {
      // On its way together with what follows, so that it costs no round trip.
      const [, result] = await Promise.all([
        tx`select set_config('statement_timeout', ${limit}, true)`,
        work(tx),
      ]);
      return result;
    });
  }

  async #begin<T>(options: string, milliseconds: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    // A little sooner than the caller is told so: what nobody waits for any more must neither begin nor commit.
    const deadline = performance.now() + milliseconds - 10;
    const requireInTime = (): void => {
      if (performance.now() > deadline)
        throw new DatabaseSlow('a transaction did not come to its end in time');
    };
    return this.run(
      (sql) =>
        sql.begin(options, async (tx) => {
          requireInTime();
          const result = await work(tx);
          requireInTime();
          return result;
        }) as Promise<T>,
      milliseconds,
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#left, this.#pool].map((pool) => endQuietly(pool, 3)));
  }

  /** Leaves a pool that hangs or broke, and opens another. What still runs on it has a while to end. */
  #leave(broken: Pool): void {
    if (broken !== this.#pool) return;
    this.#pool = openPool(this.#connection, this.#max);
    this.#left.add(broken);
    const end = async (): Promise<void> => {
      await endQuietly(broken, 0);
      this.#left.delete(broken);
    };
    setTimeout(() => void end(), grace).unref();
  }
}

async function endQuietly(pool: Pool, seconds: number): Promise<void> {
  try {
    await pool.end({ timeout: seconds });
  } catch {
    // It was broken; there is nothing left to close.
  }
}

async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const timer = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: timer.signal }).then(() => {
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
