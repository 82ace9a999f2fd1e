import { type HeadRow, isClosed } from './heads.ts';
import type { Sql, Transaction } from './sql.ts';

export async function writeHead(tx: Transaction, { tenant_id, ...columns }: HeadRow): Promise<void> {
  const uncounted = !isClosed(columns);
  await tx`update eaas.audit_heads set ${tx({ ...columns, uncounted })} where tenant_id = ${tenant_id}`;
}

/** Returns whether all tenants of the database are closed. A database without tenants counts as open. */
export async function isWhollyClosed(sql: Sql): Promise<boolean> {
  // These are two statements and not one with a subquery, because Citus refuses a subquery over all tenants.
  const open = await sql`select from eaas.audit_heads where state_id >= 0 limit 1`;
  return open.count === 0 && (await sql`select from eaas.audit_heads limit 1`).count > 0;
}
