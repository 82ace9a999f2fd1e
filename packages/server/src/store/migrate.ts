import { tables } from './migrations/0001-tables.ts';
import { guards } from './migrations/0002-guards.ts';
import type { Pool, Sql } from './sql.ts';

/** In order. A migration that was released is never changed: another one follows it. */
const migrations = [tables, guards];

const anyNumber = 0x65616173; // 'eaas': the advisory lock that one migration at a time holds

/**
 * Brings the schema up to date, as its owner; safe to run from several places at once. Grants to the server's
 * role what it needs and no more. Answers how many migrations ran.
 */
export async function migrate(sql: Pool, serverRole: string | null): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${anyNumber})`;
    await tx`create schema if not exists eaas`;
    await tx`create table if not exists eaas.migrations (version integer primary key, applied_at timestamptz not null default now())`;
    const done = await schemaVersion(tx);
    const missing = migrations.slice(done);
    for (const [index, text] of missing.entries()) {
      await tx.unsafe(text);
      await tx`insert into eaas.migrations (version) values (${done + index + 1})`;
    }
    if (serverRole !== null) await grant(tx, serverRole);
    return missing.length;
  });
}

/** Whether the schema is the one that this program knows. */
export async function isMigrated(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ there: boolean }[]>`select to_regclass('eaas.migrations') is not null as there`;
  return found?.there === true && (await schemaVersion(sql)) >= migrations.length;
}

/** Whether the role that is connected owns the tables, and so could remove their guards. */
export async function ownsTables(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ owns: boolean }[]>`
    select pg_has_role(current_user, relowner, 'usage') as owns from pg_class where oid = 'eaas.audit_entries'::regclass`;
  return row?.owns === true;
}

async function schemaVersion(sql: Sql): Promise<number> {
  const [row] = await sql<
    { version: number }[]
  >`select coalesce(max(version), 0)::int as version from eaas.migrations`;
  return row?.version ?? 0;
}

async function grant(sql: Sql, role: string): Promise<void> {
  const to = sql(role);
  await sql`grant usage on schema eaas to ${to}`;
  await sql`grant select on all tables in schema eaas to ${to}`;
  await sql`grant insert on all tables in schema eaas to ${to}`;
  await sql`revoke insert on eaas.migrations from ${to}`;
  await sql`grant update on eaas.tenants, eaas.audit_heads, eaas.audit_anchors, eaas.keys, eaas.key_versions,
    eaas.api_keys, eaas.verifications, eaas.usage, eaas.usage_cursors, eaas.key_version_uses, eaas.api_key_uses to ${to}`;
  await sql`grant delete on eaas.root_checks to ${to}`;
  await sql`grant execute on function eaas.purge_entries(uuid, bigint) to ${to}`;
}
