import type { Sql, Transaction } from './sql.ts';

/** A row by which a start tells whether it has a root key that tenants are sealed under. */
export interface RootCheckRow {
  readonly root_id: Uint8Array;
  readonly sealed: Uint8Array;
}

const anyNumber = 0x65616174; // the advisory lock that whoever adds or removes a check holds

/** Until the transaction ends nobody else adds or removes a check. */
export async function lockRootChecks(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${anyNumber})`;
}

export async function listRootChecks(sql: Sql): Promise<RootCheckRow[]> {
  return sql<RootCheckRow[]>`select root_id, sealed from eaas.root_checks order by root_id`;
}

export async function insertRootCheck(tx: Transaction, row: RootCheckRow): Promise<void> {
  await tx`insert into eaas.root_checks ${tx({ ...row })}`;
}

/** Whether any tenant is sealed under a root key: this one, or without one any. */
export async function someTenantIsSealed(sql: Sql, rootId?: Uint8Array): Promise<boolean> {
  const under = rootId ? sql`where root_id = ${rootId}` : sql``;
  const [row] = await sql<{ there: boolean }[]>`select exists (select from eaas.tenants ${under}) as there`;
  return row?.there === true;
}

export async function deleteRootCheck(tx: Transaction, rootId: Uint8Array): Promise<void> {
  await tx`delete from eaas.root_checks where root_id = ${rootId}`;
}
