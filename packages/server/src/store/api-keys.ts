import { pae, type PaePart } from '@eaas/protocol';
import type { Permission } from '@eaas/protocol/wire';
import type { Sql, Transaction } from './sql.ts';

/** An API key as stored. The token itself never is. */
export interface ApiKeyRow {
  readonly api_key_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly hint: string;
  readonly token_hash: Uint8Array;
  readonly permissions: readonly Permission[];
  readonly key_ids: readonly string[] | null;
  readonly allowed_origins: readonly string[] | null;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly revoked_at: number | null;
  /** The entry that made it. */
  readonly created_id: number;
  /** The entry that last changed it. */
  readonly rev: number;
  readonly mac: Uint8Array;
}

/** What the row's MAC covers: all of it. */
export function apiKeyParts(row: Omit<ApiKeyRow, 'mac'>): PaePart[] {
  return [
    row.api_key_id,
    row.tenant_id,
    row.name,
    row.hint,
    row.token_hash,
    list(row.permissions),
    row.key_ids && list(row.key_ids),
    row.allowed_origins && list(row.allowed_origins),
    row.expires_at,
    row.created_at,
    row.created_by,
    row.revoked_at,
    row.created_id,
    row.rev,
  ];
}

/** Throws for a list within the list, which pae would take for bytes. */
function list(texts: readonly string[]): PaePart {
  if (!texts.every((text) => typeof text === 'string')) throw new TypeError('a list of texts');
  return pae(...texts);
}

export async function insertApiKey(tx: Transaction, row: ApiKeyRow): Promise<void> {
  await tx`insert into eaas.api_keys ${tx(columnsOf(row))}`;
}

export async function updateApiKey(tx: Transaction, row: ApiKeyRow): Promise<void> {
  await tx`update eaas.api_keys set ${tx(columnsOf(row))}
    where tenant_id = ${row.tenant_id} and api_key_id = ${row.api_key_id}`;
}

function columnsOf(row: ApiKeyRow) {
  return {
    ...row,
    permissions: [...row.permissions],
    key_ids: row.key_ids && [...row.key_ids],
    allowed_origins: row.allowed_origins && [...row.allowed_origins],
  };
}

export async function findApiKey(
  sql: Sql,
  tenantId: string,
  apiKeyId: string,
): Promise<ApiKeyRow | undefined> {
  const [row] = await sql<ApiKeyRow[]>`
    select * from eaas.api_keys where tenant_id = ${tenantId} and api_key_id = ${apiKeyId}`;
  return row;
}

/** The API key that a token's hash names, of whatever tenant: the one query that does not name a tenant. */
export async function findApiKeyByToken(sql: Sql, tokenHash: Uint8Array): Promise<ApiKeyRow | undefined> {
  const [row] = await sql<ApiKeyRow[]>`select * from eaas.api_keys where token_hash = ${tokenHash}`;
  return row;
}

/** Newest first, with when each was last used. */
export async function listApiKeys(
  sql: Sql,
  tenantId: string,
  page: { limit: number; offset: number },
): Promise<(ApiKeyRow & { last_used_at: number | null })[]> {
  return sql<(ApiKeyRow & { last_used_at: number | null })[]>`
    select api_keys.*, last_used_at from eaas.api_keys left join eaas.api_key_uses using (api_key_id)
    where api_keys.tenant_id = ${tenantId} order by created_id desc limit ${page.limit} offset ${page.offset}`;
}

export async function countApiKeys(sql: Sql, tenantId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from eaas.api_keys where tenant_id = ${tenantId}`;
  return row?.count ?? 0;
}

/** Other API keys that can still manage API keys at a time. */
export async function countOtherManagers(
  sql: Sql,
  tenantId: string,
  apiKeyId: string,
  time: number,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from eaas.api_keys
    where tenant_id = ${tenantId} and api_key_id <> ${apiKeyId} and 'api_keys.manage' = any (permissions)
      and revoked_at is null and (expires_at is null or expires_at > ${time})`;
  return row?.count ?? 0;
}

export async function lastUse(sql: Sql, tenantId: string, apiKeyId: string): Promise<number | null> {
  const [row] = await sql<{ last_used_at: number }[]>`
    select last_used_at from eaas.api_key_uses where tenant_id = ${tenantId} and api_key_id = ${apiKeyId}`;
  return row?.last_used_at ?? null;
}

/** Notes when API keys were last used, to the minute. */
export async function recordUses(
  sql: Sql,
  uses: readonly { api_key_id: string; tenant_id: string; last_used_at: number }[],
): Promise<void> {
  await sql`
    insert into eaas.api_key_uses (api_key_id, tenant_id, last_used_at)
    select use.* from unnest(${uses.map((use) => use.api_key_id)}::uuid[],
      ${uses.map((use) => use.tenant_id)}::uuid[], ${uses.map((use) => use.last_used_at)}::bigint[])
      as use (api_key_id, tenant_id, last_used_at)
    join eaas.api_keys using (api_key_id)
    on conflict (api_key_id) do update set last_used_at = greatest(api_key_uses.last_used_at, excluded.last_used_at)`;
}

/** Every API key of a tenant, for its verification. */
export async function allApiKeys(sql: Sql, tenantId: string): Promise<ApiKeyRow[]> {
  return sql<ApiKeyRow[]>`select * from eaas.api_keys where tenant_id = ${tenantId}`;
}
