import type { PaePart } from '@eaas/protocol';
import type { Sql, Transaction } from './sql.ts';

export type KeyStatus = 'active' | 'disabled' | 'pending_destruction' | 'destroyed';

/** A key as stored. Its material is in its versions, sealed. */
export interface KeyRow {
  readonly key_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly key_version: number;
  readonly status: KeyStatus;
  readonly exportable: boolean;
  readonly created_at: number;
  readonly rotated_at: number | null;
  readonly interval_days: number | null;
  readonly next_rotation_at: number | null;
  readonly destroy_at: number | null;
  readonly sealed_hash_key: Uint8Array | null;
  /** The entry that made it. */
  readonly created_id: number;
  /** The entry that last changed it. */
  readonly rev: number;
  readonly mac: Uint8Array;
}

/** A version's material: 32 bytes, sealed; null once destroyed. */
export interface KeyVersionRow {
  readonly key_id: string;
  readonly key_version: number;
  readonly created_at: number;
  readonly sealed: Uint8Array | null;
}

/** What the row's MAC covers: all of it. */
export function keyParts(row: Omit<KeyRow, 'mac'>): PaePart[] {
  return [
    row.key_id,
    row.tenant_id,
    row.name,
    row.key_version,
    row.status,
    String(row.exportable),
    row.created_at,
    row.rotated_at,
    row.interval_days,
    row.next_rotation_at,
    row.destroy_at,
    row.sealed_hash_key,
    row.created_id,
    row.rev,
  ];
}

export async function insertKey(tx: Transaction, row: KeyRow): Promise<void> {
  await tx`insert into eaas.keys ${tx({ ...row })}`;
}

export async function updateKey(tx: Transaction, row: KeyRow): Promise<void> {
  await tx`update eaas.keys set ${tx({ ...row })} where tenant_id = ${row.tenant_id} and key_id = ${row.key_id}`;
}

export async function insertKeyVersion(
  tx: Transaction,
  tenantId: string,
  version: KeyVersionRow,
): Promise<void> {
  await tx`insert into eaas.key_versions ${tx({ tenant_id: tenantId, ...version })}`;
}

/** Erases the material of every version. */
export async function eraseKeyVersions(tx: Transaction, tenantId: string, keyId: string): Promise<void> {
  await tx`update eaas.key_versions set sealed = null where tenant_id = ${tenantId} and key_id = ${keyId}`;
}

export async function findKey(sql: Sql, tenantId: string, keyId: string): Promise<KeyRow | undefined> {
  const [row] = await sql<
    KeyRow[]
  >`select * from eaas.keys where tenant_id = ${tenantId} and key_id = ${keyId}`;
  return row;
}

export async function findKeys(sql: Sql, tenantId: string, keyIds: readonly string[]): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select * from eaas.keys where tenant_id = ${tenantId} and key_id = any (${[...keyIds]}::uuid[])`;
}

/** Of these keys the newest version, and besides the versions that are named. */
export async function findKeyVersions(
  sql: Sql,
  tenantId: string,
  keyIds: readonly string[],
  named: readonly { keyId: string; keyVersion: number }[],
): Promise<KeyVersionRow[]> {
  return sql<KeyVersionRow[]>`
    select v.key_id, v.key_version, v.created_at, v.sealed
    from eaas.key_versions v join eaas.keys k using (tenant_id, key_id)
    where tenant_id = ${tenantId} and key_id = any (${[...keyIds]}::uuid[]) and (
      v.key_version = k.key_version or (v.key_id, v.key_version) in (
        select * from unnest(${named.map((one) => one.keyId)}::uuid[], ${named.map((one) => one.keyVersion)}::bigint[])))`;
}

export async function nameIsTaken(sql: Sql, tenantId: string, name: string): Promise<boolean> {
  const found = await sql`
    select from eaas.keys where tenant_id = ${tenantId} and name = ${name} and status <> 'destroyed'`;
  return found.count > 0;
}

export async function listKeyVersions(sql: Sql, tenantId: string, keyId: string): Promise<KeyVersionRow[]> {
  return sql<KeyVersionRow[]>`
    select key_id, key_version, created_at, sealed from eaas.key_versions
    where tenant_id = ${tenantId} and key_id = ${keyId} order by key_version`;
}

export interface KeyFilter {
  readonly status?: string | undefined;
  readonly name?: string | undefined;
  /** Only these, for an API key that is limited to some. */
  readonly among: readonly string[] | null;
}

/** Newest first. */
export async function listKeys(
  sql: Sql,
  tenantId: string,
  filter: KeyFilter,
  page: { limit: number; offset: number },
): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select * from eaas.keys where tenant_id = ${tenantId} ${matching(sql, filter)}
    order by created_id desc limit ${page.limit} offset ${page.offset}`;
}

export async function countKeys(sql: Sql, tenantId: string, filter: KeyFilter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from eaas.keys where tenant_id = ${tenantId} ${matching(sql, filter)}`;
  return row?.count ?? 0;
}

function matching(sql: Sql, { status, name, among }: KeyFilter) {
  const byStatus = status === undefined ? sql`` : sql`and status = ${status}`;
  const byName = name === undefined ? byStatus : sql`${byStatus} and name = ${name}`;
  return among === null ? byName : sql`${byName} and key_id = any (${[...among]}::uuid[])`;
}

/** A key whose time has come. */
interface DueKey {
  readonly tenant_id: string;
  readonly key_id: string;
  readonly status: KeyStatus;
}

/** Keys whose time has come, of every tenant: rotations of active keys, destructions of pending ones. */
export async function keysDue(sql: Sql, time: number): Promise<DueKey[]> {
  return sql<DueKey[]>`
    select tenant_id, key_id, status from eaas.keys
    where (next_rotation_at <= ${time} and status = 'active')
       or (destroy_at <= ${time} and status = 'pending_destruction')`;
}

/** Every key of a tenant, for its verification. */
export async function allKeys(sql: Sql, tenantId: string): Promise<KeyRow[]> {
  return sql<KeyRow[]>`select * from eaas.keys where tenant_id = ${tenantId}`;
}

export async function allKeyVersions(sql: Sql, tenantId: string): Promise<KeyVersionRow[]> {
  return sql<KeyVersionRow[]>`
    select key_id, key_version, created_at, sealed from eaas.key_versions where tenant_id = ${tenantId}`;
}
