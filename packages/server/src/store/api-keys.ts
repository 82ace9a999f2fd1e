import type { ApiKeyFields } from '@eaas/protocol/service';
import {
  countRows,
  first,
  type Loaded,
  loadPage,
  loadRows,
  loadRowsById,
  type RecordedRow,
  type Table,
} from './rows.ts';
import type { Sql } from './sql.ts';

export interface ApiKeyRow extends ApiKeyFields, RecordedRow {
  readonly token_hash: Uint8Array;
  readonly created_id: number;
}

export const apiKeyTable: Table<ApiKeyRow> = {
  name: 'api_keys',
  id: 'api_key_id',
  label: ['eaas row v1', 'api_keys'],
  columns: [
    'api_key_id',
    'tenant_id',
    'name',
    'hint',
    'token_hash',
    'permissions',
    'key_ids',
    'allowed_origins',
    'expires_at',
    'created_at',
    'created_by',
    'revoked_at',
    'created_id',
    'rev',
  ],
  numbers: ['expires_at', 'created_at', 'revoked_at', 'created_id', 'rev'],
};

type Found = Promise<Loaded<ApiKeyRow> | undefined>;

export function findApiKey(sql: Sql, tenantId: string, apiKeyId: string): Found {
  return first(loadRowsById(sql, apiKeyTable, tenantId, [apiKeyId]));
}

export function findApiKeyByToken(sql: Sql, tenantId: string, tokenHash: Uint8Array): Found {
  return first(loadRows(sql, apiKeyTable, tenantId, sql`and token_hash = ${tokenHash}`));
}

export function listApiKeys(sql: Sql, tenantId: string, page: { limit: number; offset: number }) {
  return loadPage(sql, apiKeyTable, tenantId, sql`eaas.api_keys where tenant_id = ${tenantId}`, page);
}

export function countApiKeys(sql: Sql, tenantId: string): Promise<number> {
  return countRows(sql, sql`eaas.api_keys where tenant_id = ${tenantId}`);
}

export function countOtherManagers(sql: Sql, tenantId: string, apiKeyId: string): Promise<number> {
  return countRows(
    sql,
    sql`eaas.api_keys where tenant_id = ${tenantId} and api_key_id <> ${apiKeyId}
      and 'api_keys.manage' = any (permissions) and revoked_at is null and expires_at is null`,
  );
}

export interface Use {
  readonly api_key_id: string;
  readonly tenant_id: string;
  readonly last_used_at: number;
}

export async function lastUses(sql: Sql, tenantId: string, of: readonly { readonly api_key_id: string }[]) {
  const rows = await sql<Use[]>`select * from eaas.api_key_uses
    where tenant_id = ${tenantId} and api_key_id = any (${of.map((one) => one.api_key_id)}::uuid[])`;
  return new Map(rows.map((row) => [row.api_key_id, row.last_used_at]));
}

export async function recordUses(sql: Sql, uses: readonly Use[]): Promise<void> {
  await sql`
    insert into eaas.api_key_uses (api_key_id, tenant_id, last_used_at)
    select use.* from unnest(${uses.map((use) => use.api_key_id)}::uuid[],
      ${uses.map((use) => use.tenant_id)}::uuid[], ${uses.map((use) => use.last_used_at)}::bigint[])
      as use (api_key_id, tenant_id, last_used_at)
    join eaas.api_keys using (tenant_id, api_key_id)
    on conflict (tenant_id, api_key_id) do update set last_used_at = greatest(api_key_uses.last_used_at, excluded.last_used_at)`;
}
