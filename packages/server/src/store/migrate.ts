import { tables } from './migrations/0001-tables.ts';
import { guards } from './migrations/0002-guards.ts';
import { tenantFirst } from './migrations/0003-tenant-first.ts';
import { append } from './migrations/0004-append.ts';
import { runs } from './migrations/0005-runs.ts';
import { verifiedNights } from './migrations/0006-verified-nights.ts';
import { intake } from './migrations/0007-intake.ts';
import type { Pool, Sql } from './sql.ts';

/** A released migration must never change. Add a new migration instead. */
const migrations = [tables, guards, tenantFirst, append, runs, verifiedNights, intake];

const lockNumber = 0x65616173; // 'eaas' in ASCII: identifies the advisory lock

export async function migrate(sql: Pool, serverRole: string | null): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${lockNumber})`;
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

export async function isMigrated(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ there: boolean }[]>`select to_regclass('eaas.migrations') is not null as there`;
  return found?.there === true && (await schemaVersion(sql)) >= migrations.length;
}

/** The owner of a table can remove its triggers. */
export async function ownsTables(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ owns: boolean }[]>`
    select pg_has_role(current_user, relowner, 'usage') as owns from pg_class where oid = 'eaas.audit_entries'::regclass`;
  return row?.owns === true;
}

export async function roleExists(sql: Sql, role: string): Promise<boolean> {
  return (await sql`select from pg_roles where rolname = ${role}`).count > 0;
}

async function schemaVersion(sql: Sql): Promise<number> {
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
    eaas.api_keys, eaas.verifications, eaas.usage, eaas.usage_cursors, eaas.key_version_uses, eaas.api_key_uses,
    eaas.tenant_names, eaas.leases, eaas.verification_markers to ${to}`;
  await sql`grant delete on eaas.verification_markers, eaas.root_checks, eaas.token_directory, eaas.tenant_names to ${to}`;
  await sql`grant execute on function eaas.purge_entries, eaas.append to ${to}`;
}
