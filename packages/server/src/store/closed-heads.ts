import { first } from './rows.ts';
import type { HeadRow } from './heads.ts';
import type { Sql, Transaction } from './sql.ts';

/**
 * Writes a head. A negative `state_id` closes the tenant: an append compares the `state_id`, so no replica can append.
 * The usage job skips closed tenants.
 */
export async function writeHead(tx: Transaction, { tenant_id, ...columns }: HeadRow): Promise<void> {
  const uncounted = columns.state_id >= 0;
  await tx`update eaas.audit_heads set ${tx({ ...columns, uncounted })} where tenant_id = ${tenant_id}`;
}

export async function insertClosedHead(tx: Transaction, head: HeadRow): Promise<void> {
  await tx`insert into eaas.audit_heads ${tx({ ...head, uncounted: false })}`;
}

/** Returns whether all tenants of the database are closed. A database without tenants counts as open. */
export async function isWhollyClosed(sql: Sql): Promise<boolean> {
  const row = await first(sql<{ closed: boolean }[]>`
    select case when exists (select from eaas.audit_heads where state_id >= 0) then false
      else exists (select from eaas.audit_heads) end as closed`);
  return row?.closed === true;
}
