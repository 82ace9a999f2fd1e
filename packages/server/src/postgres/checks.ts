// What `serve`, `migrate` and the doctor ask of a database before they use it.
import { CannotStart } from '../base/cannot-start.ts';
import type { Sql } from './sql.ts';

/** Whether the database has tables of the service, of any version. Throws CannotStart for those from before the first release. */
export async function isPrepared(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ there: boolean; older: boolean }[]>`
    select to_regclass('eaas.steps') is not null as there, to_regclass('eaas.migrations') is not null as older`;
  if (found?.there === true || found?.older !== true) return found?.there === true;
  throw new CannotStart(
    'The database has tables from before the first release. No release wrote them, so nothing converts them: export what ' +
      'you need with the version that wrote them, then delete the data directory of `eaas dev`, or run ' +
      '`drop schema eaas cascade` in the database and `eaas migrate`.',
  );
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

/** Returns PostgreSQL's version, as in `15.20 (Debian 15.20-1.pgdg12+1)`. Throws CannotStart for one that is too old. */
export async function requireVersion(sql: Sql): Promise<string> {
  const [row] = await sql<{ name: string; number: number }[]>`
    select current_setting('server_version') as name, current_setting('server_version_num')::int as number`;
  if (row && row.number >= oldestPostgres * 10_000) return row.name;
  throw new CannotStart(
    `The server needs PostgreSQL ${oldestPostgres} or later (got ${row?.name}). ` +
      'Upgrade PostgreSQL, or set EAAS_DATABASE_URL to a newer one.',
  );
}
