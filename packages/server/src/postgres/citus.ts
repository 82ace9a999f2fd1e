// Spreads the tables over the workers of Citus, each tenant's rows on one of them. `migrate` does this where the database
// has the extension citus.
import { CannotStart } from '../base/cannot-start.ts';
import type { Sql, Transaction } from './sql.ts';

/** The SQL functions that Citus runs on the node with the tenant's rows. */
const tenantFunctions = ['append', 'create_tenant', 'purge_entries', 'destroy_tenant'];

/** Whether the database has the extension citus. */
export async function hasCitus(sql: Sql): Promise<boolean> {
  return (await sql`select from pg_extension where extname = 'citus'`).count > 0;
}

/** The tables with a column `tenant_id` that are still only on the coordinator. A table comes after those it refers to. */
async function undistributedTables(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class c
    where relnamespace = 'eaas'::regnamespace and relkind = 'r'
      and exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant_id' and attnum > 0)
      and not exists (select from pg_dist_partition where logicalrelid = c.oid)
    order by c.oid`;
  return rows.map(({ name }) => name);
}

/** Allows triggers, and statements that change several tables in one transaction. Citus refuses both by default. */
export async function allowSchemaChanges(tx: Transaction): Promise<void> {
  await tx`select set_config('citus.enable_unsafe_triggers', 'on', true),
    set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
}

/**
 * Throws CannotStart if one of these tables has rows, of which Citus would leave a copy on the coordinator. A table that a later step
 * makes has none, also in a database with tenants: a step must insert nothing into it.
 */
export async function requireNoRows(sql: Sql, tables: readonly string[]): Promise<void> {
  for (const name of tables) {
    const { count } = await sql`select from ${sql(`eaas.${name}`)} limit 1`;
    if (count === 0) continue;
    throw new CannotStart(
      `Citus can only distribute tables without rows, and eaas.${name} has some: migrate a new database, and restore the data ` +
        'there.',
    );
  }
}

/** Distributes the tables that are only on the coordinator, and the functions if they were made anew. */
export async function distribute(tx: Transaction, hasNewFunctions: boolean): Promise<void> {
  const tables = await undistributedTables(tx);
  await requireNoRows(tx, tables);
  for (const name of tables) {
    await tx`select create_distributed_table(${`eaas.${name}`}::text::regclass, 'tenant_id',
      colocate_with => ${name === 'tenants' ? 'none' : 'eaas.tenants'})`;
  }
  if (!hasNewFunctions) return;
  for (const name of tenantFunctions) await distributeFunction(tx, name);
  // Citus creates the functions on the workers with the rights that everyone has by default.
  await tx`revoke all on function eaas.append, eaas.append_all, eaas.create_tenant, eaas.purge_entries, eaas.destroy_tenant
    from public`;
}

/** With `force_delegation`, Citus sends a call to the tenant's node even inside a transaction. */
async function distributeFunction(tx: Transaction, name: string): Promise<void> {
  const [row] = await tx<{ signature: string }[]>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'eaas'::regnamespace and proname = ${name}`;
  if (!row) throw new Error(`the database must have the SQL function eaas.${name} (got none)`);
  // A worker with Citus 13.2.1 keeps the plan of each call until the connection ends, unless plans are never kept.
  await tx.unsafe(`alter function ${row.signature} set plan_cache_mode=force_custom_plan`);
  await tx`select create_distributed_function(${row.signature}::text::regprocedure, 'tenant',
    colocate_with => 'eaas.tenants', force_delegation => true)`;
}
