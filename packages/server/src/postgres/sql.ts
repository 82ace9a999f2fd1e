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
export async function together<const T extends readonly unknown[]>(
  statements: T,
): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
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
  texts: arrays(1009),
  uuids: arrays(2951),
  bytes: arrays(1001),
  bigints: { ...arrays(1016), parse: (text: string) => parseArray(text).map(Number) },
};

function arrays(id: number) {
  return { to: id, from: [id], parse: parseArray, serialize: formatArray };
}

export function openPool(connection: Connection, max: number): Pool {
  const options: postgres.Options<DriverTypes> = {
    max,
    types,
    // The driver does not query the array types, because this query can fail behind a connection pooler.
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

// This file replaces the array functions of postgres.js, which query the array types on each new connection. Errors of
// this query cannot be caught.

/** A parsed PostgreSQL array. A tampered row can contain nested arrays. */
export type Parsed = (string | null | Parsed)[];

const token = /[{}]|"([^"\\]*(?:\\.[^"\\]*)*)"|[^,{}]+/gs;

export function parseArray(text: string): Parsed {
  const root: Parsed = [];
  const open: Parsed[] = [root];
  // If the lower bound of an array is not 1, its text begins with the bounds, as in [0:1]={a,b}. The parser skips the
  // bounds.
  for (const [word, quoted] of text.slice(text.indexOf('{')).matchAll(token)) {
    const list = open.at(-1) ?? root;
    if (word === '{') {
      const inner: Parsed = [];
      list.push(inner);
      open.push(inner);
    } else if (word === '}') open.pop();
    else if (quoted !== undefined) list.push(quoted.replaceAll(/\\(.)/gs, '$1'));
    else list.push(word === 'NULL' ? null : word);
  }
  const [first] = root;
  return Array.isArray(first) ? first : root;
}

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
