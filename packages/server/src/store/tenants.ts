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

export function findTenantByName(sql: Sql, name: string): Promise<Loaded<TenantRow> | undefined> {
  return first(loadOfAllTenants(sql, tenantTable, sql`where name = ${name}`));
}

/**
 * Whether another tenant has the name. Until the transaction ends, no other transaction can ask for the same name. No
 * unique index could say it, because on Citus each shard has its own.
 */
export async function isNameTaken(tx: Transaction, tenantId: string, name: string): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`eaas tenant ${name}`}, 0))`;
  const { count } = await tx`select from eaas.tenants where name = ${name} and tenant_id <> ${tenantId}`;
  return count > 0;
}

/**
 * Returns the tenants of API keys and issuers: by the hash of the token in hexadecimal, and by the issuer's id. A row that
 * is found here grants nothing: access is decided by the rows of its tenant, and their MACs.
 */
export async function findTenantsOf(sql: Sql, names: readonly string[]): Promise<Map<string, string>> {
  const issuerIds = names.filter((name) => name.includes('-'));
  const hashes = names.filter((name) => !name.includes('-'));
  const found = await Promise.all([
    hashes.length > 0
      ? sql<Owned[]>`select encode(token_hash, 'hex') as name, tenant_id from eaas.api_keys
          where token_hash = any (${hashes.map((hash) => `\\x${hash}`)}::bytea[])`
      : [],
    issuerIds.length > 0
      ? sql<
          Owned[]
        >`select issuer_id as name, tenant_id from eaas.issuers where issuer_id = any (${issuerIds}::uuid[])`
      : [],
  ]);
  return new Map(found.flat().map(({ name, tenant_id }) => [name, tenant_id]));
}

interface Owned {
  readonly name: string;
  readonly tenant_id: string;
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
