// Spreads the tables over the workers of Citus, each tenant's rows on one of them.
import type { Cluster, Sql, Transaction } from '@eaas/server/internal';

/**
 * The tables that Citus distributes by tenant. Citus requires that a table comes after the tables to which it refers.
 */
const tenantTables = [
  'tenants',
  'audit_heads',
  'audit_entries',
  'audit_anchors',
  'keys',
  'key_versions',
  'subjects',
  'subject_counts',
  'key_counts',
  'api_keys',
  'issuers',
  'key_sets',
  'row_records',
  'usage_cursors',
  'usage',
  'key_version_uses',
  'api_key_uses',
  'entry_counts',
  'verification_markers',
  'log_proofs',
];

const directories: Readonly<Record<string, string>> = { token_directory: 'token_hash', tenant_names: 'name' };

/**
 * With `force_custom_plan`, PostgreSQL plans the statements of a function in each call and discards the plan. By
 * default, a worker with Citus 13.2.1 keeps the plan of each call until the connection ends.
 */
const planSetting = 'plan_cache_mode=force_custom_plan';

/** The SQL functions that Citus runs on the node with the tenant's rows. */
export const tenantFunctions = ['append', 'purge_entries', 'destroy_tenant', 'first_entry_since'];

/** Whether the database has the extension citus. */
export async function hasCitus(sql: Sql): Promise<boolean> {
  return (await sql`select from pg_extension where extname = 'citus'`).count > 0;
}

/** The tables and functions that are still only on the coordinator. */
export async function undistributed(sql: Sql): Promise<{ tables: string[]; functions: string[] }> {
  const wanted = [...tenantTables, ...Object.keys(directories)];
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'eaas'::regnamespace and relname = any (${wanted}::text[])
      and not exists (select from pg_dist_partition where logicalrelid = oid)`;
  const functions = await sql<{ name: string }[]>`
    select proname as name from pg_proc f
    where pronamespace = 'eaas'::regnamespace and proname = any (${tenantFunctions}::text[])
      and not (coalesce(proconfig, '{}') @> ${[planSetting]}::text[] and exists (select from pg_dist_object
        where classid = 'pg_proc'::regclass and objid = f.oid and force_delegation))`;
  const local = new Set(tables.map(({ name }) => name));
  return { tables: wanted.filter((name) => local.has(name)), functions: functions.map(({ name }) => name) };
}

/** Allows triggers, and statements that change several tables in one transaction. Citus refuses both by default. */
async function allowSchemaChanges(tx: Transaction): Promise<void> {
  await tx`select set_config('citus.enable_unsafe_triggers', 'on', true),
    set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
}

async function distribute(tx: Transaction): Promise<void> {
  const { tables, functions } = await undistributed(tx);
  if (tables.length === 0 && functions.length === 0) return;
  if (tables.length > 0) await lock(tx, tables);
  // The triggers are disabled while Citus copies the rows, because they would count the copies again.
  await tx`alter table eaas.keys disable trigger keys_counted`;
  await tx`alter table eaas.subjects disable trigger subjects_counted`;
  for (const name of tables) await distributeTable(tx, name);
  await tx`alter table eaas.keys enable trigger keys_counted`;
  await tx`alter table eaas.subjects enable trigger subjects_counted`;
  await removeLocalRows(tx, tables);
  for (const name of functions) await distributeFunction(tx, name);
  // The default rights of a new function let everyone execute it. Citus creates functions on the workers with these
  // rights, so they are revoked.
  await tx`revoke all on function eaas.append, eaas.purge_entries, eaas.destroy_tenant, eaas.count_key,
    eaas.count_subjects from public`;
}

async function lock(tx: Transaction, tables: readonly string[]): Promise<void> {
  await tx.unsafe(`lock table ${tables.map((name) => `eaas.${name}`).join(', ')} in access exclusive mode`);
}

async function distributeTable(tx: Transaction, name: string): Promise<void> {
  const [first] = tenantTables;
  const key = directories[name];
  const neighbour = key === undefined && name !== first ? `eaas.${first}` : 'none';
  await tx`select create_distributed_table(${`eaas.${name}`}::text::regclass, ${key ?? 'tenant_id'},
    colocate_with => ${neighbour})`;
}

/** With `force_delegation`, Citus sends a call to the tenant's node even inside a transaction. */
async function distributeFunction(tx: Transaction, name: string): Promise<void> {
  const [row] = await tx<{ signature: string }[]>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'eaas'::regnamespace and proname = ${name}`;
  if (!row)
    throw new Error(`the database must have the SQL function eaas.${name} (got none): run \`eaas migrate\``);
  await tx.unsafe(`alter function ${row.signature} set ${planSetting}`);
  await tx`select create_distributed_function(${row.signature}::text::regprocedure, 'tenant',
    colocate_with => 'eaas.tenants', force_delegation => true)`;
}

/**
 * When Citus distributes a table, it leaves the rows in the local table, where queries do not see them. This function
 * removes these local rows.
 */
async function removeLocalRows(tx: Transaction, tables: readonly string[]): Promise<void> {
  const triggers = await tx<{ table: string; name: string }[]>`
    select tgrelid::regclass::text as table, tgname as name from pg_trigger
    where tgfoid = to_regproc('eaas.refuse_truncate')
      and tgrelid = any (${tables.map((name) => `eaas.${name}`)}::text[]::regclass[])`;
  // While `citus.enable_ddl_propagation` is off, Citus changes the triggers of the local tables only. The triggers of
  // the shards stay enabled.
  const local = () => tx`select set_config('citus.enable_ddl_propagation', 'off', true)`;
  await local();
  for (const { table, name } of triggers) await tx.unsafe(`alter table ${table} disable trigger ${name}`);
  for (const name of tables) {
    await tx`select truncate_local_data_after_distributing_table(${`eaas.${name}`}::text::regclass)`;
  }
  await local();
  for (const { table, name } of triggers)
    await tx.unsafe(`alter table ${table} enable always trigger ${name}`);
  await tx`select set_config('citus.enable_ddl_propagation', 'on', true)`;
}

/** For `migrate`: a database with the extension citus gets its tables distributed. */
export const citus: Cluster = { isHere: hasCitus, allowSchemaChanges, distribute };
