import { allowSchemaChanges, distribute, hasCitus } from './citus.ts';
import type { Pool, Sql } from './sql.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockTimeout } from './faults.ts';
import { append, functions, guards } from './schema-functions.ts';
import { tables } from './schema.ts';
import { publicLog } from './schema-log.ts';

/** The steps from an empty database to the present schema. A released step must never change: add a new one. */
const steps: readonly string[] = [[tables, guards, publicLog, functions, append].join('')];

const lockNumber = 0x65616173; // 'eaas' in ASCII: identifies the advisory lock

/**
 * A statement that waits for a lock of a table also delays the statements of the servers. So the migration waits only
 * for a short time, and then tries again.
 */
const lockTimeout = '400ms';
const pauseAfterLockTimeout = 2_000;

export interface MigrateOptions {
  /** Called each time when another session has locked a table. */
  readonly onWait?: (() => void) | undefined;
}

/** Applies the missing steps in one transaction, and returns how many there were. */
export async function migrate(
  sql: Pool,
  serverRole: string | null,
  { onWait = () => {} }: MigrateOptions = {},
  wanted = steps,
): Promise<number> {
  for (;;) {
    try {
      return await applyMissing(sql, serverRole, wanted);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      onWait();
      await sleep(pauseAfterLockTimeout);
    }
  }
}

async function applyMissing(
  sql: Pool,
  serverRole: string | null,
  wanted: readonly string[],
): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${lockNumber})`;
    await tx`select set_config('lock_timeout', ${lockTimeout}, true)`;
    const isCitus = await hasCitus(tx);
    if (isCitus) await allowSchemaChanges(tx);
    // After a `create schema`, Citus cannot distribute a table in the same transaction, even if the schema existed
    // before.
    if (!(await hasSchema(tx))) await tx`create schema if not exists eaas`;
    await tx`create table if not exists eaas.migrations (version integer primary key, applied_at timestamptz not null default now())`;
    const done = await schemaVersion(tx);
    const missing = wanted.slice(done);
    for (const [index, step] of missing.entries()) {
      await tx.unsafe(step);
      await tx`insert into eaas.migrations (version) values (${done + index + 1})`;
    }
    if (isCitus) await distribute(tx);
    // The rights are granted in the same transaction, so that an interruption cannot leave new tables without rights.
    if (serverRole !== null) await grant(tx, serverRole);
    return missing.length;
  });
}

export async function isMigrated(sql: Sql): Promise<boolean> {
  return (await isPrepared(sql)) && (await schemaVersion(sql)) >= steps.length;
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

async function hasSchema(sql: Sql): Promise<boolean> {
  return (await sql`select from pg_namespace where nspname = 'eaas'`).count > 0;
}

/** Whether the database has tables of the service, of any version. */
export async function isPrepared(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ there: boolean }[]>`select to_regclass('eaas.migrations') is not null as there`;
  return found?.there === true;
}

export const newestVersion = steps.length;

export async function schemaVersion(sql: Sql): Promise<number> {
  const [row] = await sql<{ version: number | null }[]>`select max(version) as version from eaas.migrations`;
  return row?.version ?? 0;
}

async function grant(sql: Sql, role: string): Promise<void> {
  const to = sql(role);
  await sql`grant usage on schema eaas to ${to}`;
  await sql`grant select on all tables in schema eaas to ${to}`;
  await sql`grant insert on all tables in schema eaas to ${to}`;
  await sql`revoke insert on eaas.migrations from ${to}`;
  await sql`grant update on eaas.tenants, eaas.audit_heads, eaas.audit_anchors, eaas.keys, eaas.key_versions,
    eaas.api_keys, eaas.issuers, eaas.key_sets, eaas.verifications, eaas.usage, eaas.usage_cursors,
    eaas.key_version_uses, eaas.api_key_uses, eaas.leases, eaas.verification_markers, eaas.key_counts,
    eaas.subject_counts to ${to}`;
  await sql`grant update (sealed, erased_id, erased_at, erased_hash, mac) on eaas.subjects to ${to}`;
  await sql`grant update (root_id, sealed, ended_at, halted) on eaas.log_keys to ${to}`;
  await sql`grant update (bytes) on eaas.log_tiles to ${to}`;
  await sql`grant update (note, witnessed) on eaas.log_moments to ${to}`;
  await sql`grant delete on eaas.root_checks, eaas.entry_counts,
    eaas.log_moments, eaas.log_proofs to ${to}`;
  await sql`grant execute on function eaas.purge_entries, eaas.append to ${to}`;
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
