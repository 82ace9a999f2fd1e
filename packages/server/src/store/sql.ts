import postgres from 'postgres';
import { formatArray, parseArray } from './arrays.ts';

/**
 * The driver reads a bigint column as a JavaScript number. This is safe, because all integers in the database are below
 * 2^53.
 */
interface Types extends Record<string, unknown> {
  bigint: number;
}

/** A connection pool, or the connection of a transaction. Functions in this folder accept both. */
export type Sql = postgres.ISql<Types>;
export type Transaction = postgres.TransactionSql<Types>;
export type Pool = postgres.Sql<Types>;

/** How to connect to a database: a URL, or the fields that the embedded database returns. */
export type Connection = string | { host: string; port: number; database: string; username: string };

interface DriverTypes extends Record<string, postgres.PostgresType> {
  bigint: postgres.PostgresType<number>;
}

const types: DriverTypes = {
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
  // The array types text[], uuid[] and bigint[].
  texts: { to: 1009, from: [1009], parse: parseArray, serialize: formatArray },
  uuids: { to: 2951, from: [2951], parse: parseArray, serialize: formatArray },
  bigints: {
    to: 1016,
    from: [1016],
    parse: (text: string) => parseArray(text).map(Number),
    serialize: formatArray,
  },
};

export function openPool(connection: Connection, max: number): Pool {
  const options: postgres.Options<DriverTypes> = {
    max,
    types,
    // By default, the driver queries the array types on each new connection. Behind a connection pooler this query can
    // fail.
    fetch_types: false,
    connect_timeout: 3,
    keep_alive: 10,
    backoff: false,
    onnotice: () => {},
    connection: { application_name: 'eaas' },
  };
  if (typeof connection !== 'string') return postgres({ ...connection, ...options });
  const host = decodeURIComponent(new URL(connection).hostname);
  // As in psql, the host can be the directory of a Unix socket. postgres.js would look up such a host in a URL by DNS,
  // so the host is passed separately.
  return postgres(connection, host.startsWith('/') ? { ...options, host } : options);
}
