import type { StoredEntry } from '@eaas/protocol/audit';
import { countRows, first } from './rows.ts';
import type { Sql } from './sql.ts';

export interface EntryRow extends Omit<StoredEntry, 'tenant_id'> {
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

export interface EntryFilter {
  readonly first: number;
  readonly last: number;
  readonly keyId?: string | undefined;
  readonly action?: string | undefined;
}

export async function listEntries(
  sql: Sql,
  tenantId: string,
  filter: EntryFilter,
  page: { limit: number; offset: number },
): Promise<EntryRow[]> {
  return sql<EntryRow[]>`select ${columns(sql)} from ${matching(sql, tenantId, filter)}
    order by id desc limit ${page.limit} offset ${page.offset}`;
}

export function countEntries(sql: Sql, tenantId: string, filter: EntryFilter): Promise<number> {
  return countRows(sql, matching(sql, tenantId, filter));
}

function matching(sql: Sql, tenantId: string, { first, last, keyId, action }: EntryFilter) {
  return sql`eaas.audit_entries where tenant_id = ${tenantId} and id between ${first} and ${last}
    ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
    ${action === undefined ? sql`` : sql`and action = ${action}`}`;
}

function columns(sql: Sql) {
  return sql`id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac`;
}

export async function entriesFrom(sql: Sql, tenantId: string, first: number, last: number, limit: number) {
  return sql<EntryRow[]>`select ${columns(sql)} from ${matching(sql, tenantId, { first, last })}
    order by id limit ${limit}`;
}

export function entryAt(sql: Sql, tenantId: string, id: number): Promise<EntryRow | undefined> {
  return first(entriesFrom(sql, tenantId, id, id, 1));
}

export async function changeEntries(
  sql: Sql,
  tenantId: string,
  actions: readonly string[],
  { after, through }: { readonly after: number; readonly through: number },
  limit: number,
): Promise<EntryRow[]> {
  return sql<EntryRow[]>`
    select ${columns(sql)} from eaas.audit_entries
    where tenant_id = ${tenantId} and action = any (${[...actions]}::text[])
      and id > ${after} and id <= ${through} order by id limit ${limit}`;
}

export async function firstEntrySince(
  sql: Sql,
  tenantId: string,
  time: number,
  range: { first: number; last: number },
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    select eaas.first_entry_since(${tenantId}, ${time}, ${range.first}, ${range.last}) as id`;
  return row?.id ?? range.first;
}

export async function tenantsToPurge(sql: Sql, time: number): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }[]>`
    select h.tenant_id from eaas.audit_heads h left join eaas.audit_anchors a using (tenant_id)
    where exists (select from eaas.audit_entries e
      where e.tenant_id = h.tenant_id and e.id = coalesce(a.id, 0) + 1 and e.created_at < ${time})`;
  return rows.map((row) => row.tenant_id);
}

export async function storedRange(sql: Sql, tenantId: string, after?: number) {
  const [row] = await sql<{ first: number | null; last: number | null }[]>`
    select min(id) as first, max(id) as last from eaas.audit_entries
    where tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and id > ${after}`}`;
  return { first: row?.first ?? undefined, last: row?.last ?? undefined };
}
