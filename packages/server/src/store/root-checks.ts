import type { Sql, Transaction } from './sql.ts';

export interface RootCheckRow {
  readonly root_id: Uint8Array;
  readonly sealed: Uint8Array;
}

const lockNumber = 0x65616174;

export async function lockRootChecks(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${lockNumber})`;
}

export async function listRootChecks(sql: Sql): Promise<RootCheckRow[]> {
  return sql<RootCheckRow[]>`select root_id, sealed from eaas.root_checks order by root_id`;
}

export async function insertRootCheck(tx: Transaction, row: RootCheckRow): Promise<void> {
  await tx`insert into eaas.root_checks ${tx({ ...row })}`;
}

export async function someTenantIsSealed(sql: Sql, rootId?: Uint8Array): Promise<boolean> {
  const under = rootId ? sql`where root_id = ${rootId}` : sql``;
  const { count } = await sql`select from eaas.tenants ${under} limit 1`;
  return count > 0;
}

/** Whether the key of a public log is sealed under the root key. */
export async function someLogIsSealed(sql: Sql, rootId: Uint8Array): Promise<boolean> {
  const { count } = await sql`select from eaas.log_keys where root_id = ${rootId} limit 1`;
  return count > 0;
}

export async function deleteRootCheck(tx: Transaction, rootId: Uint8Array): Promise<void> {
  await tx`delete from eaas.root_checks where root_id = ${rootId}`;
}
