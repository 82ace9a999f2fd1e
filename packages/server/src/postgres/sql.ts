// The connections to PostgreSQL, and what its driver lacks: integers as numbers, lists as parameters, hosts that it misreads.
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import postgres from 'postgres';
import { timeLimit } from '../base/time-limit.ts';

/** All integers in the database are below 2^53, so JavaScript numbers represent them exactly. */
interface Types extends Record<string, unknown> {
  bigint: number;
}

export type Sql = postgres.ISql<Types>;
/** A statement that was not sent yet. */
export type Pending<Rows extends readonly object[]> = postgres.PendingQuery<Rows & postgres.MaybeRow[]>;
export type Transaction = postgres.TransactionSql<Types>;
export type Pool = postgres.Sql<Types>;

export type Connection = string | { host: string; port: number; database: string; username: string };

/**
 * Waits for all statements that are sent together, even if one of them fails, so that no statement is sent after the
 * transaction has ended. Then throws the error of the first statement that failed, because PostgreSQL refuses the
 * following statements of the transaction.
 */
export async function together<const T extends readonly unknown[]>(statements: T) {
  const results: PromiseSettledResult<unknown>[] = await Promise.allSettled(statements);
  const values = results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  return values as { readonly [K in keyof T]: Awaited<T[K]> };
}

interface DriverTypes extends Record<string, postgres.PostgresType> {
  bigint: postgres.PostgresType<number>;
}

const types: DriverTypes = {
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
  // Lists of texts, bytes, integers and ids are parameters only: statements return lists as JSON.
  lists: { to: 1009, from: [1001, 1016, 2951], parse: String, serialize: formatArray },
};

export function openPool(connection: Connection, max: number): Pool {
  const options: postgres.Options<DriverTypes> = {
    max,
    types,
    // The driver would query the array types on each new connection. Behind a connection pooler, this query can fail, and nobody
    // could catch its error.
    fetch_types: false,
    // A lost DNS answer is asked for again after 5 s, which a command waits for. Calls have their own, shorter time limit.
    connect_timeout: timeLimit(8),
    keep_alive: 10,
    backoff: false,
    onnotice: () => {},
    connection: { application_name: 'eaas' },
  };
  if (typeof connection !== 'string') return postgres({ ...connection, ...options });
  return postgres(connection, { ...options, ...addressOf(new URL(connection)) });
}

function addressOf({ hostname, port, searchParams }: URL): object {
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  // postgres.js would look up an IPv6 address or the directory of a Unix socket by DNS, so the host is passed separately.
  if (host.startsWith('/')) return { host };
  const version = isIP(host);
  if (version === 0) return {};
  return {
    // postgres.js cuts a host at its first colon, except in an array. So an IPv6 address is passed in an array.
    ...(version === 6 && { host: [host], port: [Number(port || 5432)] }),
    // For an IP address, postgres.js gives Node no host name. Node would then compare the certificate with the name
    // `localhost`.
    ...(searchParams.get('sslmode')?.startsWith('verify-') && {
      ssl: {
        checkServerIdentity: (_: string, certificate: PeerCertificate) =>
          checkServerIdentity(host, certificate),
      },
    }),
  };
}

/** Bytes as a text that PostgreSQL takes for them. */
export const hex = ({ buffer, byteOffset, length }: Uint8Array): string =>
  `\\x${Buffer.from(buffer, byteOffset, length).toString('hex')}`;

export function formatArray(values: readonly (string | number | null)[]): string {
  return `{${values.map(formatValue).join(',')}}`;
}

function formatValue(value: string | number | null): string {
  return value === null ? 'NULL' : `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

export async function databaseTime(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: number }[]>`select eaas.now_ms() as now`;
  if (!row) throw new Error('expected the current time from the database (got no row)');
  return row.now;
}

/** How far the clock of this machine is ahead of the database's, in milliseconds. Also works before the migration. */
export async function clockDifference(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  return Date.now() - (row?.now ?? 0);
}
