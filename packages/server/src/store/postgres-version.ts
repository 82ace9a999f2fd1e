import type { Sql } from './sql.ts';

export const oldestPostgres = 15;

export interface PostgresVersion {
  /** For example `15.20 (Debian 15.20-1.pgdg12+1)`. */
  readonly name: string;
  /** For example `150020`. */
  readonly number: number;
}

export async function readVersion(sql: Sql): Promise<PostgresVersion> {
  const [row] = await sql<PostgresVersion[]>`
    select current_setting('server_version') as name, current_setting('server_version_num')::int as number`;
  if (!row) throw new Error("expected a row with PostgreSQL's version (got none)");
  return row;
}

/** Returns an error message for a version that the server does not support. */
export function versionFault({ name, number }: PostgresVersion): string | undefined {
  if (number >= oldestPostgres * 10_000) return undefined;
  return `The server needs PostgreSQL ${oldestPostgres} or later (got ${name}). Upgrade PostgreSQL, or set EAAS_DATABASE_URL to a newer one.`;
}
