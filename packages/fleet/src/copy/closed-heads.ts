import { type HeadRow, isClosed, type Transaction } from '@eaas/server/internal';

export async function writeHead(tx: Transaction, { tenant_id, ...columns }: HeadRow): Promise<void> {
  const uncounted = !isClosed(columns);
  await tx`update eaas.audit_heads set ${tx({ ...columns, uncounted })} where tenant_id = ${tenant_id}`;
}
