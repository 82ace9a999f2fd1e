import type { StoredEntry } from '@eaas/protocol/audit';
import type { Head, HeadRow } from './heads.ts';
import type { Sql } from './sql.ts';

/** An entry with what chains it: its hash, which anyone can recompute, and its MAC, which nobody can forge. */
export interface ChainedRow extends StoredEntry {
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

/** An entry as it is read: the tenant is the one that was asked for. */
export type EntryRow = Omit<ChainedRow, 'tenant_id'>;

/**
 * Appends entries and advances the head, in one statement and only if the head is still the expected one. Answers
 * whether it was; if not, nothing was written. Throws, instead of waiting longer than a request can, while another
 * transaction holds the head.
 */
export async function appendEntries(
  sql: Sql,
  tenantId: string,
  expected: Head,
  next: HeadRow,
  entries: readonly ChainedRow[],
): Promise<boolean> {
  const text = <K extends keyof ChainedRow>(name: K) => entries.map((entry) => entry[name]);
  const seals = Buffer.concat(entries.flatMap(({ hash, mac }) => [hash, mac]));
  const done = await sql`
    with head as (
      update eaas.audit_heads set id = ${next.id}, hash = ${next.hash}, state_id = ${next.state_id},
        created_at = ${next.created_at}, month = ${next.month}, encrypts = ${next.encrypts}, mac = ${next.mac}
      where tenant_id = ${tenantId} and id = ${expected.id} and hash = ${expected.hash}
        and state_id = ${expected.state_id} and set_config('lock_timeout', '1000', true) is not null
      returning tenant_id
    )
    insert into eaas.audit_entries
      (tenant_id, id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac)
    select head.tenant_id, ${expected.id}::bigint + entry.nth, action, key_id, key_version, actor, ip_address, metadata, created_at,
      substr(${seals}::bytea, 64 * entry.nth::int - 63, 32), substr(${seals}::bytea, 64 * entry.nth::int - 31, 32)
    from head, unnest(
      ${text('action')}::text[], ${text('key_id')}::uuid[], ${text('key_version')}::bigint[], ${text('actor')}::text[],
      ${text('ip_address')}::text[], ${text('metadata')}::text[], ${text('created_at')}::bigint[]
    ) with ordinality as entry (action, key_id, key_version, actor, ip_address, metadata, created_at, nth)`;
  return done.count > 0;
}

/** Which entries a list asks for. */
export interface EntryFilter {
  readonly keyId?: string | undefined;
  readonly action?: string | undefined;
}

/** Entries with ids from first to last, newest first. */
export async function listEntries(
  sql: Sql,
  tenantId: string,
  range: { first: number; last: number },
  filter: EntryFilter,
  page: { limit: number; offset: number },
): Promise<EntryRow[]> {
  return sql<EntryRow[]>`
    select id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac
    from eaas.audit_entries
    where tenant_id = ${tenantId} and id between ${range.first} and ${range.last} ${matching(sql, filter)}
    order by id desc limit ${page.limit} offset ${page.offset}`;
}

export async function countEntries(
  sql: Sql,
  tenantId: string,
  range: { first: number; last: number },
  filter: EntryFilter,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from eaas.audit_entries
    where tenant_id = ${tenantId} and id between ${range.first} and ${range.last} ${matching(sql, filter)}`;
  return row?.count ?? 0;
}

function matching(sql: Sql, { keyId, action }: EntryFilter) {
  const byKey = keyId === undefined ? sql`` : sql`and key_id = ${keyId}`;
  return action === undefined ? byKey : sql`${byKey} and action = ${action}`;
}

/** Entries in the order of the chain, from an id on. */
export async function entriesFrom(
  sql: Sql,
  tenantId: string,
  first: number,
  last: number,
  most: number,
): Promise<EntryRow[]> {
  return sql<EntryRow[]>`
    select id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac
    from eaas.audit_entries
    where tenant_id = ${tenantId} and id between ${first} and ${last} order by id limit ${most}`;
}

export async function entryAt(sql: Sql, tenantId: string, id: number): Promise<EntryRow | undefined> {
  const [row] = await entriesFrom(sql, tenantId, id, id, 1);
  return row;
}

/** Entries of some actions after an id, in the order of the chain. */
export async function changeEntries(
  sql: Sql,
  tenantId: string,
  actions: readonly string[],
  after: number,
  most: number,
): Promise<EntryRow[]> {
  return sql<EntryRow[]>`
    select id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac
    from eaas.audit_entries
    where tenant_id = ${tenantId} and action = any (${[...actions]}::text[])
      and id > ${after} and id <= ${Number.MAX_SAFE_INTEGER} order by id limit ${most}`;
}

/** The first id from which on entries are not older than a time; one past the last when all are. */
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

/** The next id after one that is stored, if any. */
export async function nextStored(sql: Sql, tenantId: string, after: number): Promise<number | undefined> {
  const [row] = await sql<{ id: number | null }[]>`
    select min(id) as id from eaas.audit_entries where tenant_id = ${tenantId} and id > ${after}`;
  return row?.id ?? undefined;
}

/** The first and the last id that are stored. */
export async function storedRange(sql: Sql, tenantId: string): Promise<{ first: number; last: number }> {
  const [row] = await sql<{ first: number | null; last: number | null }[]>`
    select min(id) as first, max(id) as last from eaas.audit_entries where tenant_id = ${tenantId}`;
  return { first: row?.first ?? 1, last: row?.last ?? 0 };
}
