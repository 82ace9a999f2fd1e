// The connections to the database: one for each piece of work, with time limits, and in spans if the operator records traces.
import { noteError, telemetry, traced } from '../base/tracing.ts';
import { type Connection, openPool, type Pool, type Sql, together, type Transaction } from './sql.ts';
import { DatabaseBusy, DatabaseSlow, isConnectionLost } from './faults.ts';
import { timeLimit } from '../base/time-limit.ts';

const grace = 5_000;
/**
 * After the wait for a connection, a query gets at least this time. With less time, a query would exceed its time limit
 * although the database works, and the service would report a database fault.
 */
const leastTime = 1_000;

/**
 * Replaces connections after a fault, because postgres.js has no time limit for queries and does not always reopen a
 * lost connection. Each query uses the connection that was used last, because its PostgreSQL process has warm caches. A
 * pool of postgres.js uses its connections in turn, so each connection has its own pool.
 */
export class Database {
  readonly #connection: Connection;
  readonly #max: number;
  readonly #siblings: Set<Database>;
  readonly #open = new Set<Pool>();
  /** Those who wait for a connection, in the order of their arrival. */
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #idle: Pool[] = [];
  #isClosed = false;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, max = 10, siblings = new Set<Database>()) {
    this.#connection = connection;
    this.#max = max;
    this.#free = max;
    this.#siblings = siblings.add(this);
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
    const idle = this.#idle;
    const pool = idle.pop() ?? this.#openPool();
    const startedAt = performance.now();
    const limit = Math.min(timeLimit(milliseconds), deadline - startedAt);
    let endsIn = 0;
    try {
      const result = await withDeadline(work(tracedSql(pool), limit), limit);
      this.#answeredAt = performance.now();
      return result;
    } catch (error) {
      if (error instanceof DatabaseSlow) {
        endsIn = grace;
        // Replaces this pool, and each sibling pool whose last response came before the second half of the time limit.
        // Such an early response does not prove that the database still responds.
        if (idle === this.#idle) this.#suspect((one) => one.#answeredAt < startedAt + limit / 2);
      } else if (isConnectionLost(error) && idle === this.#idle) this.#suspect(() => true);
      throw error;
    } finally {
      if (idle === this.#idle) idle.push(pool);
      else setTimeout(() => void this.#end(pool, 0), endsIn).unref();
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** Before version 17, PostgreSQL cannot end the transaction of a client that stops in the middle of a statement. */
  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    milliseconds = 4_000,
    deadline = Infinity,
  ): Promise<T> {
    // The lock timeout is shorter than the statement timeout, so a wait for a lock fails with its own error code.
    const begin = beginning('', work, (tx, limit) => {
      return tx`select set_config('idle_in_transaction_session_timeout', ${text(timeLimit(5_000))}, true),
        set_config('lock_timeout', ${text(lockTimeout(limit))}, true),
        set_config('statement_timeout', ${text(0.75 * limit)}, true),
        case when current_setting('server_version_num')::int >= 170000
          then set_config('transaction_timeout', ${text(limit + 1_000)}, true) end`.execute();
    });
    return this.run(begin, milliseconds, deadline);
  }

  async snapshot<T>(work: (tx: Transaction) => Promise<T>, milliseconds = 2_000): Promise<T> {
    const begin = beginning('isolation level repeatable read read only', work, (tx, limit) => {
      return tx`select set_config('lock_timeout', ${text(lockTimeout(limit))}, true),
        set_config('statement_timeout', ${text(0.9 * limit)}, true)`.execute();
    });
    return this.run(begin, milliseconds);
  }

  get counts(): { readonly limit: number; readonly used: number; readonly waiting: number } {
    return { limit: this.#max, used: this.#max - this.#free, waiting: this.#waiting.length };
  }

  /**
   * Waits up to 2 s for work, because postgres.js reopens a connection that is ended while statements wait for it to open, and
   * never closes it.
   */
  async close(): Promise<void> {
    this.#siblings.delete(this);
    this.#isClosed = true;
    const works = Array.from({ length: this.#max - this.#free + this.#waiting.length });
    await Promise.allSettled(works.map(() => this.#wait(2_000)));
    await Promise.all(Array.from(this.#open, (pool) => this.#end(pool, 1)));
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

  #suspect(isDead: (sibling: Database) => boolean): void {
    for (const one of this.#siblings) {
      if (one !== this && !isDead(one)) continue;
      for (const pool of one.#idle) void one.#end(pool, 0);
      // A running query still refers to the old array `#idle`. When this query ends, `run` finds a different array in
      // `#idle`, and therefore closes the connection of the query.
      one.#idle = [];
    }
  }

  #openPool(): Pool {
    const pool = openPool(this.#connection, 1);
    this.#open.add(pool);
    return pool;
  }

  async #end(pool: Pool, seconds: number): Promise<void> {
    // `pool.end` throws if the connection was never opened.
    await pool.end({ timeout: seconds }).catch(() => {});
    this.#open.delete(pool);
  }
}

/** Makes work for `run` that begins a transaction with settings. */
function beginning<T>(
  options: string,
  work: (tx: Transaction) => Promise<T>,
  settingsOf: (tx: Transaction, limit: number) => Promise<unknown>,
) {
  const begin = (sql: Pool, limit: number): Promise<T> => {
    // The transaction's deadline is earlier than the deadline of `run`, so that no transaction commits after its
    // caller has received an error.
    const deadline = performance.now() + limit - 10;
    const requireInTime = (): void => {
      if (performance.now() > deadline)
        throw new DatabaseSlow(`the transaction did not end within ${Math.round(limit)} ms`);
    };
    return sql.begin(options, async (begun) => {
      requireInTime();
      const tx = tracedSql(begun);
      // `execute` has sent the settings together with the first statement, which saves a round trip.
      const [, result] = await together([settingsOf(tx, limit), work(tx)]);
      requireInTime();
      return result;
    }) as Promise<T>;
  };
  return (sql: Pool, limit: number) => traced('database.transaction', () => begin(sql, limit));
}

const lockTimeout = (limit: number): number => Math.min(timeLimit(3_000), 0.7 * limit);

const text = (milliseconds: number): string => String(Math.round(milliseconds));

/** After the error DatabaseSlow, the work continues, and can still take effect. */
function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // The error is created only if it is needed, because recording its stack takes longer than the rest of this
    // function.
    const giveUp = (): void =>
      reject(new DatabaseSlow(`the database did not respond within ${Math.round(milliseconds)} ms`));
    const timer = setTimeout(giveUp, milliseconds);
    void work.then(resolve, reject).then(() => clearTimeout(timer));
  });
}

/**
 * Records statements as OpenTelemetry spans. A span names the statement's kind and table, and never contains a
 * parameter.
 */
function tracedSql<S extends Sql>(sql: S): S {
  return telemetry() ? new Proxy(sql, { apply: (target, self, args) => call(target, self, args) }) : sql;
}

function call(sql: Sql, self: unknown, args: unknown[]): unknown {
  const result: unknown = Reflect.apply(sql, self, args);
  const [parts] = args;
  const isStatement = result instanceof Promise && Array.isArray(parts) && 'raw' in parts;
  return isStatement ? watched(result, kindOf(parts.join(' '))) : result;
}

type Kind = ReturnType<typeof kindOf>;

function kindOf(statement: string) {
  const [, verb = ''] = /^\s*(\w+)/.exec(statement) ?? [];
  const named =
    /\b(?:from|into|update)\s+eaas\.(\w+)/.exec(statement) ?? /^\s*select\s+eaas\.(\w+)/.exec(statement);
  return { verb: verb.toUpperCase(), table: named?.[1] };
}

/**
 * postgres.js sends a statement at the first call of `then`, so the span begins at this call. A query object that is
 * only a part of another statement gets no span, because its `then` is never called.
 */
function watched(query: Promise<unknown>, kind: Kind): Promise<unknown> {
  const send = query.then.bind(query);
  let isSent = false;
  const then = (...handlers: Parameters<typeof send>): ReturnType<typeof send> => {
    if (!isSent) watch(query, kind);
    isSent = true;
    return send(...handlers);
  };
  Reflect.set(query, 'then', then);
  return query;
}

function watch(query: Promise<unknown>, { verb, table }: Kind): void {
  const connected = telemetry();
  if (!connected?.api.trace.getActiveSpan()) return;
  const { api, tracer } = connected;
  const span = tracer.startSpan(table === undefined ? verb : `${verb} ${table}`, {
    kind: api.SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': verb,
      ...(table !== undefined && { 'db.collection.name': table }),
    },
  });
  const fail = (error: unknown): void => {
    noteError(span, error);
    span.end();
  };
  // The span ends together with the query. `query.then` would also send the query, so this code calls
  // `Promise.prototype.then`, which only waits.
  void Promise.prototype.then.call(query, () => span.end(), fail);
}
