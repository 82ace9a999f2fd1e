import { limits } from '@eaas/protocol/wire';
import type { KeyFields } from '@eaas/protocol/service';
import {
  countRows,
  first,
  type Loaded,
  loadPage,
  loadRowsById,
  type RecordedRow,
  rowsById,
  type Table,
} from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

export interface KeyRow extends KeyFields, RecordedRow {
  readonly sealed_hash_key: Uint8Array | null;
  readonly created_id: number;
}

export const keyTable: Table<KeyRow> = {
  name: 'keys',
  id: 'key_id',
  label: ['eaas row v1', 'keys'],
  columns: [
    'key_id',
    'tenant_id',
    'name',
    'key_version',
    'status',
    'exportable',
    'created_at',
    'rotated_at',
    'interval_days',
    'next_rotation_at',
    'destroy_at',
    'sealed_hash_key',
    'intake',
    'subjects',
    'created_id',
    'rev',
  ],
  booleans: ['exportable', 'intake'],
  numbers: [
    'key_version',
    'created_at',
    'rotated_at',
    'interval_days',
    'next_rotation_at',
    'destroy_at',
    'created_id',
    'rev',
  ],
};

export interface KeyVersionRow {
  readonly key_id: string;
  readonly key_version: number;
  readonly created_at: number;
  readonly sealed: Uint8Array | null;
}

export async function insertKeyVersion(tx: Transaction, tenantId: string, version: KeyVersionRow) {
  await tx`insert into eaas.key_versions ${tx({ tenant_id: tenantId, ...version })}`.execute();
}

export async function eraseKeyVersions(tx: Transaction, tenantId: string, keyId: string): Promise<void> {
  await tx`update eaas.key_versions set sealed = null
    where tenant_id = ${tenantId} and key_id = ${keyId}`.execute();
}

export function findKey(sql: Sql, tenantId: string, keyId: string): Promise<Loaded<KeyRow> | undefined> {
  return first(findKeys(sql, tenantId, [keyId]));
}

export function findKeys(sql: Sql, tenantId: string, keyIds: readonly string[]): Promise<Loaded<KeyRow>[]> {
  return loadRowsById(sql, keyTable, tenantId, keyIds);
}

export async function findKeyVersions(
  sql: Sql,
  tenantId: string,
  keyIds: readonly string[],
  named: readonly { keyId: string; keyVersion: number }[],
): Promise<KeyVersionRow[]> {
  // The lateral join reads only the wanted versions, each by the primary key. PostgreSQL could run a plain join by
  // reading all versions of the tenant, and a key can have thousands of versions.
  return sql<KeyVersionRow[]>`
    select v.key_id, v.key_version, v.created_at, v.sealed
    from (
      select key_id, key_version from eaas.keys
      where tenant_id = ${tenantId} and key_id = any (${[...keyIds]}::uuid[])
      union
      select * from unnest(${named.map((one) => one.keyId)}::uuid[], ${named.map((one) => one.keyVersion)}::bigint[])
    ) wanted cross join lateral (
      select * from eaas.key_versions where tenant_id = ${tenantId}
        and key_id = wanted.key_id and key_version = wanted.key_version limit 1
    ) v`;
}

export async function nameIsTaken(sql: Sql, tenantId: string, name: string): Promise<boolean> {
  const { count } = await sql`
    select from eaas.keys where tenant_id = ${tenantId} and name = ${name} and status <> 'destroyed'`;
  return count > 0;
}

export interface KeyFilter {
  readonly status?: string | undefined;
  readonly name?: string | undefined;
  readonly among: readonly string[] | null;
}

export function listKeys(
  sql: Sql,
  tenantId: string,
  filter: KeyFilter,
  page: { limit: number; offset: number },
): Promise<Loaded<KeyRow>[]> {
  return loadPage(sql, keyTable, tenantId, matching(sql, tenantId, filter), page);
}

export async function countKeys(sql: Sql, tenantId: string, filter: KeyFilter): Promise<number> {
  const { status, name, among } = filter;
  if (name !== undefined || among !== null) {
    return countRows(sql, matching(sql, tenantId, filter));
  }
  const [row] = await sql<{ total: number }[]>`
    select coalesce(sum(count), 0)::bigint as total from eaas.key_counts
    where tenant_id = ${tenantId} ${status === undefined ? sql`` : sql`and status = ${status}`}`;
  return row?.total ?? 0;
}

/**
 * Few keys have the same name, or are among the keys of an API key, so they are found first and then filtered.
 * PostgreSQL would otherwise search all keys of the tenant, in the order of the list, until it has found enough.
 */
function matching(sql: Sql, tenantId: string, { status, name, among }: KeyFilter) {
  const hasStatus = status === undefined ? sql`` : sql`and status = ${status}`;
  const hasName = name === undefined ? sql`` : sql`and name = ${name}`;
  const ofTenant = sql`eaas.keys where tenant_id = ${tenantId}`;
  if (name === undefined && among === null) return sql`${ofTenant} ${hasStatus}`;
  // `offset 0` keeps PostgreSQL from merging the two queries.
  const few =
    among === null
      ? sql`select * from ${ofTenant} ${hasName} offset 0`
      : sql`select t.* from ${rowsById(sql, keyTable.name, tenantId, 'key_id', among)}`;
  return sql`(${few}) few where true ${hasName} ${hasStatus}`;
}

type DueKey = Pick<KeyRow, 'tenant_id' | 'key_id' | 'key_version' | 'status'>;

/**
 * Returns one key of each tenant, then a second key of each tenant, and so on, so that no tenant delays the others.
 * Keys with the maximum number of versions come last, because they stay due but cannot be rotated.
 */
export async function keysDue(sql: Sql): Promise<DueKey[]> {
  return sql<DueKey[]>`
    select tenant_id, key_id, key_version, status from (
      select tenant_id, key_id, key_version, status, key_version >= ${limits.keyVersions} as is_full,
        row_number() over (partition by tenant_id, key_version >= ${limits.keyVersions}) as turn
      from eaas.keys
      where (next_rotation_at <= (select eaas.now_ms()) and status = 'active')
         or (destroy_at <= (select eaas.now_ms()) and status = 'pending_destruction')
    ) due order by is_full, turn limit 1000`;
}
