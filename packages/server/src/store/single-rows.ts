import type { Sql } from './sql.ts';

/** How many rows a tenant has of what each tenant has one of: more only where the tables' constraints were removed. */
export async function countSingleRows(
  sql: Sql,
  tenantId: string,
): Promise<{ tenant: number; head: number; anchor: number }> {
  const [row] = await sql<{ tenant: number; head: number; anchor: number }[]>`select
    (select count(*) from eaas.tenants where tenant_id = ${tenantId}) as tenant,
    (select count(*) from eaas.audit_heads where tenant_id = ${tenantId}) as head,
    (select count(*) from eaas.audit_anchors where tenant_id = ${tenantId}) as anchor`;
  return row ?? { tenant: 0, head: 0, anchor: 0 };
}
