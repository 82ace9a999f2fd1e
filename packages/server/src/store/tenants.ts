import type { PaePart } from '@eaas/protocol';
import type { Sql, Transaction } from './sql.ts';

/** A tenant as stored. Names of the columns are the wire's. */
export interface TenantRow {
  readonly tenant_id: string;
  readonly name: string;
  readonly envelope_only: boolean;
  readonly monthly_encrypt_quota: number | null;
  readonly created_at: number;
  readonly root_id: Uint8Array;
  readonly sealed_secret: Uint8Array;
  /** The entry that last changed it; 0 for none. */
  readonly rev: number;
  readonly mac: Uint8Array;
}

/** What the row's MAC covers: all of it. */
export function tenantParts(row: Omit<TenantRow, 'mac'>): PaePart[] {
  return [
    row.tenant_id,
    row.name,
    String(row.envelope_only),
    row.monthly_encrypt_quota,
    row.created_at,
    row.root_id,
    row.sealed_secret,
    row.rev,
  ];
}

export async function insertTenant(tx: Transaction, row: TenantRow): Promise<void> {
  await tx`insert into eaas.tenants ${tx({ ...row })}`;
}

export async function updateTenant(tx: Transaction, row: TenantRow): Promise<void> {
  const { tenant_id: tenantId, ...columns } = row;
  await tx`update eaas.tenants set ${tx({ ...columns })} where tenant_id = ${tenantId}`;
}

export async function findTenant(sql: Sql, tenantId: string): Promise<TenantRow | undefined> {
  const [row] = await sql<TenantRow[]>`select * from eaas.tenants where tenant_id = ${tenantId}`;
  return row;
}

export async function findTenantByName(sql: Sql, name: string): Promise<TenantRow | undefined> {
  const [row] = await sql<TenantRow[]>`select * from eaas.tenants where name = ${name}`;
  return row;
}

/** All tenants, by name. */
export async function listTenants(sql: Sql): Promise<TenantRow[]> {
  return sql<TenantRow[]>`select * from eaas.tenants order by name`;
}

/** Every chain, by its tenant's name; null where the tenant's row was removed and only its head is left. */
export async function listChains(sql: Sql): Promise<{ tenant_id: string; name: string | null }[]> {
  return sql<{ tenant_id: string; name: string | null }[]>`
    select tenant_id, name from eaas.tenants full join eaas.audit_heads using (tenant_id) order by name`;
}

/** The rows of tenants that another root key sealed. */
export async function tenantsSealedUnder(sql: Sql, rootId: Uint8Array): Promise<TenantRow[]> {
  return sql<TenantRow[]>`select * from eaas.tenants where root_id = ${rootId} order by tenant_id`;
}

/** Erases a tenant's rows of every table. For the owner of the tables only. */
export async function destroyTenant(tx: Transaction, tenantId: string): Promise<void> {
  await tx`select eaas.destroy_tenant(${tenantId})`;
}
