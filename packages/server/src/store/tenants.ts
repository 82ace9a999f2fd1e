import { findNamedTenant } from './directories.ts';
import {
  countRows,
  first,
  type Loaded,
  loadOfAllTenants,
  loadRows,
  type RecordedRow,
  type Table,
} from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

export interface TenantRow extends RecordedRow {
  readonly name: string;
  readonly envelope_only: boolean;
  readonly monthly_encrypt_quota: number | null;
  readonly created_at: number;
  readonly root_id: Uint8Array;
  readonly sealed_secret: Uint8Array;
}

export const tenantTable: Table<TenantRow> = {
  name: 'tenants',
  id: 'tenant_id',
  label: ['eaas row v1', 'tenants'],
  columns: [
    'tenant_id',
    'name',
    'envelope_only',
    'monthly_encrypt_quota',
    'created_at',
    'root_id',
    'sealed_secret',
    'rev',
  ],
  booleans: ['envelope_only'],
  numbers: ['monthly_encrypt_quota', 'created_at', 'rev'],
};

export function findTenant(sql: Sql, tenantId: string): Promise<Loaded<TenantRow> | undefined> {
  return first(loadRows(sql, tenantTable, tenantId, sql``));
}

export async function findTenantByName(sql: Sql, name: string): Promise<Loaded<TenantRow> | undefined> {
  const tenantId = await findNamedTenant(sql, name);
  const row = tenantId === undefined ? undefined : await findTenant(sql, tenantId);
  return row?.name === name ? row : undefined;
}

export function listTenants(sql: Sql): Promise<Loaded<TenantRow>[]> {
  return loadOfAllTenants(sql, tenantTable, sql`order by name`);
}

export async function listChains(sql: Sql): Promise<{ tenant_id: string; name: string | null }[]> {
  return sql<{ tenant_id: string; name: string | null }[]>`
    select tenant_id, name from eaas.tenants full join eaas.audit_heads using (tenant_id) order by name`;
}

export async function tenantsSealedUnder(sql: Sql, rootId: Uint8Array): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }[]>`
    select tenant_id from eaas.tenants where root_id = ${rootId} order by tenant_id`;
  return rows.map((row) => row.tenant_id);
}

export function countSealedUnder(sql: Sql, rootId: Uint8Array): Promise<number> {
  return countRows(sql, sql`eaas.tenants where root_id = ${rootId}`);
}

export async function destroyTenant(tx: Transaction, tenantId: string): Promise<void> {
  await tx`select eaas.destroy_tenant(${tenantId})`;
}

interface Holdings {
  readonly keys: number;
  readonly api_keys: number;
  readonly entries: number;
  readonly last_used_at: number | null;
}

export async function countHoldings(sql: Sql, tenantId: string): Promise<Holdings> {
  const [row] = await sql<Holdings[]>`
    select
      (select count(*) from eaas.keys where tenant_id = ${tenantId} and status <> 'destroyed') as keys,
      (select count(*) from eaas.api_keys where tenant_id = ${tenantId} and revoked_at is null) as api_keys,
      coalesce((select id from eaas.audit_heads where tenant_id = ${tenantId}), 0)
        - coalesce((select id from eaas.audit_anchors where tenant_id = ${tenantId}), 0) as entries,
      greatest(
        (select max(last_used_at) from eaas.api_key_uses where tenant_id = ${tenantId}),
        (select created_at from eaas.audit_heads where tenant_id = ${tenantId} and id > 0)
      ) as last_used_at`;
  return row ?? { keys: 0, api_keys: 0, entries: 0, last_used_at: null };
}
