import { DatabaseBusy, DatabaseSlow, isConnectionLost } from './faults.ts';
import { traced } from '../tracing.ts';
import { type Connection, openPool, type Pool, type Transaction } from './sql.ts';
import { tracedSql } from './traced-sql.ts';

const grace = 5_000;
/** Without this limit, a pooler that ends every connection would cause a new pool for each query. */
const young = 200;
const maxReplaced = 5;

/**
 * A connection pool that is replaced after a fault, because postgres.js has no time limit for a query and does not
 * always reopen a lost connection.
 */
export class Database {
  readonly #connection: Connection;
  readonly #max: number;
  readonly #siblings: Set<Database>;
  readonly #replaced = new Set<Pool>();
  readonly #waiting = new Set<() => void>();
  #free: number;
  #pool: Pool;
  #openedAt = performance.now();
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, max = 10, siblings = new Set<Database>()) {
    this.#connection = connection;
    this.#max = max;
    this.#free = max;
    this.#siblings = siblings.add(this);
    this.#pool = openPool(this.#connection, this.#max);
  }

  /** After the error DatabaseSlow, the work can still take effect. */
  async run<T>(work: (sql: Pool) => Promise<T>, milliseconds = 3_000): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await traced('database.wait', () => this.#wait(milliseconds));
    const pool = this.#pool;
    const startedAt = performance.now();
    try {
      const result = await withDeadline(work(tracedSql(pool)), milliseconds);
      this.#answeredAt = performance.now();
      return result;
    } catch (error) {
      // Other pools are replaced too if the database has not responded to them since this work began.
      if (error instanceof DatabaseSlow) this.#suspect(pool, (one) => one.#answeredAt < startedAt);
      else if (isConnectionLost(error) && !this.#isKept()) this.#suspect(pool, (one) => !one.#isKept());
      throw error;
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  /** Before version 17, PostgreSQL cannot end the transaction of a client that stops in the middle of a statement. */
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

  async snapshot<T>(work: (tx: Transaction) => Promise<T>, milliseconds = 2_000): Promise<T> {
    const limit = String(0.9 * milliseconds);
    return this.#begin('isolation level repeatable read read only', milliseconds, async (tx) => {
      // `execute` sends the setting together with the first query, which saves a round trip.
      const setting = tx`select set_config('statement_timeout', ${limit}, true)`.execute();
      const [, result] = await Promise.all([setting, work(tx)]);
      return result;
    });
  }

  async #begin<T>(options: string, milliseconds: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const begin = (sql: Pool): Promise<T> => {
      // The transaction's deadline is earlier than the deadline of `run`, so that no transaction commits after its
      // caller has received an error.
      const deadline = performance.now() + milliseconds - 10;
      const requireInTime = (): void => {
        if (performance.now() > deadline)
          throw new DatabaseSlow(`the transaction did not end within ${milliseconds} ms`);
      };
      return sql.begin(options, async (tx) => {
        requireInTime();
        const result = await work(tracedSql(tx));
        requireInTime();
        return result;
      }) as Promise<T>;
    };
    return this.run((sql) => traced('database.transaction', () => begin(sql)), milliseconds);
  }

  get counts(): { readonly limit: number; readonly used: number; readonly waiting: number } {
    return { limit: this.#max, used: this.#max - this.#free, waiting: this.#waiting.size };
  }

  async close(): Promise<void> {
    this.#siblings.delete(this);
    await Promise.all([...this.#replaced, this.#pool].map((pool) => endQuietly(pool, 3)));
  }

  async #wait(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(start);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(start);
        reject(new DatabaseBusy(`no connection came free within ${milliseconds} ms`));
      }, milliseconds);
      this.#waiting.add(start);
    });
  }

  #suspect(pool: Pool, isDead: (sibling: Database) => boolean): void {
    if (pool !== this.#pool) return;
    this.#replacePool(0);
    for (const sibling of this.#siblings) {
      if (sibling !== this && isDead(sibling)) sibling.#replacePool(60);
    }
  }

  #replacePool(seconds: number): void {
    const old = this.#pool;
    this.#pool = openPool(this.#connection, this.#max);
    this.#openedAt = performance.now();
    this.#replaced.add(old);
    setTimeout(() => void endQuietly(old, seconds).then(() => this.#replaced.delete(old)), grace).unref();
  }

  #isKept(): boolean {
    return this.#replaced.size >= maxReplaced && performance.now() - this.#openedAt < young;
  }
}

async function endQuietly(pool: Pool, seconds: number): Promise<void> {
  try {
    await pool.end({ timeout: seconds });
  } catch {
    // A failure to close the old pool is ignored, because closing fails if the pool was broken and has no open
    // connections.
  }
}

function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // The error is created only if it is needed, because recording its stack takes longer than the rest of this
    // function.
    const giveUp = (): void =>
      reject(new DatabaseSlow(`the database did not respond within ${milliseconds} ms`));
    const timer = setTimeout(giveUp, milliseconds);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
