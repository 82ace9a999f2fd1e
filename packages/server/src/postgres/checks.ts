// What `serve`, `migrate` and the doctor ask of a database before they use it.
import type { Sql } from './sql.ts';

/** Whether the database has tables of the service, of any version. */
export async function isPrepared(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ there: boolean }[]>`select to_regclass('eaas.migrations') is not null as there`;
  return found?.there === true;
}

/**
 * The server's role should not own the tables, because the owner of a table can remove the triggers that protect the
 * table.
 */
export async function ownsTables(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ owns: boolean }[]>`
    select pg_has_role(current_user, relowner, 'usage') as owns from pg_class where oid = 'eaas.audit_entries'::regclass`;
  return row?.owns === true;
}

export async function roleExists(sql: Sql, role: string): Promise<boolean> {
  return (await sql`select from pg_roles where rolname = ${role}`).count > 0;
}

/** The tables and views that are neither the service's nor those of PostgreSQL and its extensions. */
export async function foreignTables(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p', 'v', 'm', 'f') and nspname !~ '^pg_' and nspname not in ('information_schema', 'eaas')
      and not exists (
        select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    order by 1`;
  return rows.map(({ name }) => name);
}

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
  return (
    `The server needs PostgreSQL ${oldestPostgres} or later (got ${name}). ` +
    'Upgrade PostgreSQL, or set EAAS_DATABASE_URL to a newer one.'
  );
}
