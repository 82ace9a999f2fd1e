import postgres from 'postgres';

/** Numbers of the database are whole and below 2^53: they arrive as numbers, not as text. */
interface Types extends Record<string, unknown> {
  bigint: number;
}

/** A pool of connections, or one that is inside a transaction. Store functions take either. */
export type Sql = postgres.ISql<Types>;
/** Only inside a transaction. */
export type Transaction = postgres.TransactionSql<Types>;
export type Pool = postgres.Sql<Types>;

/** How to reach a database: a URL, or what the embedded one answers. */
export type Connection = string | { host: string; port: number; database: string; username: string };

const types = {
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
};

/** Opens a pool. Nothing is connected until the first query. */
export function openPool(connection: Connection, max: number): Pool {
  const options: postgres.Options<{ bigint: postgres.PostgresType<number> }> = {
    max,
    types,
    connect_timeout: 3,
    keep_alive: 10,
    backoff: false,
    onnotice: () => {},
    connection: { application_name: 'eaas' },
  };
  if (typeof connection !== 'string') return postgres({ ...connection, ...options });
  const host = decodeURIComponent(new URL(connection).hostname);
  // A Unix socket directory in a URL, as PostgreSQL's own programs take it: postgres.js would look it up as a name.
  return postgres(connection, host.startsWith('/') ? { ...options, host } : options);
}
