// The connections to the database: one for each piece of work, with time limits, and in spans if the operator records traces.
import { traced } from '../base/tracing.ts';
import { type Connection, openPool, type Pool, together, type Transaction } from './sql.ts';
import { DatabaseBusy, DatabaseSlow, isConnectionLost, isSessionBroken } from './faults.ts';
import { timeLimit } from '../base/time-limit.ts';

const grace = 5_000;
/**
 * After the wait for a connection, a query gets at least this time. With less time, a query would exceed its time limit
 * although the database works, and the service would report a database fault.
 */
const leastTime = 1_000;

/** A free connection, and when it answered last. */
interface Idle {
  readonly pool: Pool;
  readonly answeredAt: number;
}

/** The connections of a service. */
export interface Connections {
  readonly database: Database;
  /** Separate connections for lists, because slow lists must not delay other requests. */
  readonly reads: Database;
  /** Those of jobs, and of what reads whole tenants. */
  readonly background: Database;
}

/** The free connections that databases on the same server share: the one that was used last is at the end. */
export type Shared = Idle[];

/**
 * Limits how many connections are used at once, and for how long. Each is a pool of postgres.js, which can end no single
 * connection of a pool, has no time limit for queries, and does not always reopen a connection that was lost: the trials of
 * `faults` and `pgbouncer` need all three. The one that was used last is used next, because its PostgreSQL process has warm
 * caches.
 */
export class Database {
  readonly #connection: Connection;
  readonly #max: number;
  readonly #shared: Shared;
  /** Connections of works that run, or whose time is over. */
  readonly #used = new Set<Pool>();
  /** Those who wait for a connection, in the order of their arrival. */
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #isClosed = false;

  /** Databases that share their free connections notice a fault together. */
  constructor(connection: Connection, max = 10, shared: Shared = []) {
    this.#connection = connection;
    this.#max = max;
    this.#free = max;
    this.#shared = shared;
  }

  /**
   * `milliseconds` limits the wait for a connection, and then separately the work. Both must end before `deadline`.
   * After the error DatabaseSlow, the work can still take effect.
   */
  async run<T>(
    work: (sql: Pool, limit: number) => Promise<T>,
    milliseconds = 3_000,
    deadline = Infinity,
  ): Promise<T> {
    if (this.#isClosed) throw new DatabaseBusy('the connections to the database are closed');
    const patience = Math.min(timeLimit(milliseconds), deadline - performance.now() - leastTime);
    if (patience < 0) throw new DatabaseBusy('the time of the call is used up');
    if (this.#free > 0) this.#free--;
    else await traced('database.wait', () => this.#wait(patience));
    const pool = this.#shared.pop()?.pool ?? openPool(this.#connection, 1);
    this.#used.add(pool);
    const startedAt = performance.now();
    const limit = Math.min(timeLimit(milliseconds), deadline - startedAt);
    let endsIn: number | undefined;
    try {
      return await withDeadline(
        traced('database.work', () => work(pool, limit)),
        limit,
      );
    } catch (error) {
      if (error instanceof DatabaseSlow) {
        endsIn = grace;
        // An answer in the first half of the time does not prove that the database still responds on that connection.
        this.#suspect(startedAt + limit / 2);
      } else if (isConnectionLost(error)) {
        endsIn = 0;
        this.#suspect(Infinity);
      } else if (isSessionBroken(error)) {
        // The one that was used last is used next, so it would fail all calls while others work.
        endsIn = 0;
      }
      throw error;
    } finally {
      if (endsIn === undefined) {
        this.#used.delete(pool);
        this.#shared.push({ pool, answeredAt: performance.now() });
      } else setTimeout(() => void this.#end(pool, 0), endsIn).unref();
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** The session ends if it says nothing for 5 s. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, milliseconds = 4_000): Promise<T> {
    return this.#begin('', 5_000, work, milliseconds);
  }

  async snapshot<T>(work: (tx: Transaction) => Promise<T>, milliseconds: number): Promise<T> {
    return this.#begin('isolation level repeatable read read only', milliseconds, work, milliseconds);
  }

  async #begin<T>(
    options: string,
    mostIdle: number,
    work: (tx: Transaction) => Promise<T>,
    milliseconds: number,
  ): Promise<T> {
    const begin = (sql: Pool, limit: number): Promise<unknown> => {
      // Earlier than the deadline of `run`, so that no transaction commits after its caller has received an error.
      const deadline = performance.now() + limit - 10;
      const requireInTime = (): void => {
        if (performance.now() > deadline) {
          throw new DatabaseSlow(`the transaction did not end within ${Math.round(limit)} ms`);
        }
      };
      return sql.begin(options, async (tx) => {
        requireInTime();
        // The lock timeout is shorter than the statement timeout, so a wait for a lock fails with its own error code. Before
        // version 17, PostgreSQL cannot end the transaction of a client that stops in the middle of a statement.
        const settings = tx`select set_config('idle_in_transaction_session_timeout', ${text(timeLimit(mostIdle))}, true),
          set_config('lock_timeout', ${text(Math.min(timeLimit(3_000), 0.7 * limit))}, true),
          set_config('statement_timeout', ${text(0.75 * limit)}, true),
          case when current_setting('server_version_num')::int >= 170000
            then set_config('transaction_timeout', ${text(limit + 1_000)}, true) end`;
        // `execute` sends the settings together with the first statement, which saves a round trip.
        const [, result] = await together([settings.execute(), work(tx)]);
        requireInTime();
        return result;
      });
    };
    return this.run((sql, limit) => begin(sql, limit) as Promise<T>, milliseconds);
  }

  get counts(): { readonly limit: number; readonly used: number; readonly waiting: number } {
    return { limit: this.#max, used: this.#max - this.#free, waiting: this.#waiting.length };
  }

  /**
   * Waits up to 2 s for work, because postgres.js reopens a connection that is ended while statements wait for it to open, and
   * never closes it.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const works = Array.from({ length: this.#max - this.#free + this.#waiting.length });
    await Promise.allSettled(works.map(() => this.#wait(2_000)));
    const open = [...this.#shared.splice(0).map(({ pool }) => pool), ...this.#used];
    await Promise.all(open.map((pool) => this.#end(pool, 1)));
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(new DatabaseBusy(`no connection came free within ${milliseconds} ms`));
      };
      const timer = setTimeout(giveUp, milliseconds);
      this.#waiting.push(begin);
    });
  }

  /** Ends the free connections that have not answered since. */
  #suspect(since: number): void {
    const all = this.#shared.splice(0);
    this.#shared.push(...all.filter(({ answeredAt }) => answeredAt >= since));
    for (const { pool, answeredAt } of all) if (answeredAt < since) void this.#end(pool, 0);
  }

  async #end(pool: Pool, seconds: number): Promise<void> {
    // `pool.end` throws if the connection was never opened.
    await pool.end({ timeout: seconds }).catch(() => {});
    this.#used.delete(pool);
  }
}

/** Runs one after the other. `finally` would make two promises more, on the way of each call. */
export const both =
  <Value>(first: (value: Value) => void, second: (value: Value) => void) =>
  (value: Value): void => {
    first(value);
    second(value);
  };

const text = (milliseconds: number): string => String(Math.round(milliseconds));

/** After the error DatabaseSlow, the work continues, and can still take effect. */
function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // The error is created only if it is needed, because recording its stack takes longer than the rest of this
    // function.
    const giveUp = (): void =>
      reject(new DatabaseSlow(`the database did not respond within ${Math.round(milliseconds)} ms`));
    const timer = setTimeout(giveUp, milliseconds);
    const stop = (): void => clearTimeout(timer);
    work.then(both(stop, resolve), both(stop, reject));
  });
}
