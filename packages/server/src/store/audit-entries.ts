import { parseUuid } from '@eaas/protocol';
import type { StoredEntry } from '@eaas/protocol/audit';
import { databaseTime, type Sql, type Transaction } from './sql.ts';
import { countRows, first } from './rows.ts';
import { inSubjects, inUsers } from './schema.ts';

export interface EntryRow extends Omit<StoredEntry, 'tenant_id'> {
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

export interface EntryFilter {
  readonly keyId?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * First reads the times of the page's entries from an index by time, which contains no ids. Then reads the entries with
 * these times.
 */
export async function listEntries(
  sql: Sql,
  tenantId: string,
  filter: EntryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<EntryRow[]> {
  const entries = matching(sql, tenantId, filter);
  const before = sql`select count(*) from ${entries} and created_at > (select max(created_at) from page)`;
  return sql<EntryRow[]>`
    with page as materialized (
      select created_at from ${entries} order by created_at desc limit ${limit} offset ${offset})
    select ${columns(sql)} from ${entries}
      and created_at between (select min(created_at) from page) and (select max(created_at) from page)
    order by created_at desc, id desc limit ${limit} ${offset === 0 ? sql`` : sql`offset ${offset} - (${before})`}`;
}

export function countEntries(sql: Sql, tenantId: string, filter: EntryFilter): Promise<number> {
  return countRows(sql, matching(sql, tenantId, filter));
}

function matching(sql: Sql, tenantId: string, { keyId, action, from, to }: EntryFilter) {
  return sql`eaas.audit_entries where tenant_id = ${tenantId}
    ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
    ${action === undefined ? sql`` : sql`and action = ${action}`}
    ${from === undefined ? sql`` : sql`and created_at >= ${from}`}
    ${to === undefined ? sql`` : sql`and created_at <= ${to}`}`;
}

function inRange(sql: Sql, tenantId: string, first: number, last: number) {
  return sql`eaas.audit_entries where tenant_id = ${tenantId} and id between ${first} and ${last}`;
}

function columns(sql: Sql) {
  return sql`id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac`;
}

export async function entriesFrom(sql: Sql, tenantId: string, first: number, last: number, limit: number) {
  return sql<EntryRow[]>`select ${columns(sql)} from ${inRange(sql, tenantId, first, last)}
    order by id limit ${limit}`;
}

export async function newestEntries(sql: Sql, tenantId: string, first: number, last: number, limit: number) {
  return sql<EntryRow[]>`select ${columns(sql)} from ${inRange(sql, tenantId, first, last)}
    order by id desc limit ${limit}`;
}

export function entryAt(sql: Sql, tenantId: string, id: number): Promise<EntryRow | undefined> {
  return first(entriesFrom(sql, tenantId, id, id, 1));
}

/** Entries of a person: by the first halves of ids, and by the ids of entries. */
export interface PersonFilter extends Pick<EntryFilter, 'keyId' | 'action'> {
  readonly subject?: string | undefined;
  readonly user?: string | undefined;
  readonly first: number;
  readonly last: number;
}

/** The id of a person, for a condition that the index of these persons answers. */
const names = (sql: Sql, { mayName, id }: typeof inUsers) => sql.unsafe(`${mayName} and ${id}`);

function ofPerson(sql: Sql, tenantId: string, { subject, user, keyId, action, first, last }: PersonFilter) {
  return sql`${inRange(sql, tenantId, first, last)}
    ${subject === undefined ? sql`` : sql`and ${names(sql, inSubjects)} = ${subject}`}
    ${user === undefined ? sql`` : sql`and ${names(sql, inUsers)} = ${user}`}
    ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
    ${action === undefined ? sql`` : sql`and action = ${action}`}`;
}

/** Reads a page of a person's entries, the newest first, through the index of subjects or users. */
export function entriesOfPerson(
  sql: Sql,
  tenantId: string,
  filter: PersonFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<EntryRow[]> {
  return sql<EntryRow[]>`select ${columns(sql)} from ${ofPerson(sql, tenantId, filter)}
    order by id desc limit ${limit} offset ${offset}`;
}

/** Counts the entries of a person, up to `limit`. */
export function countOfPerson(
  sql: Sql,
  tenantId: string,
  filter: PersonFilter,
  limit: number,
): Promise<number> {
  return countRows(sql, sql`(select from ${ofPerson(sql, tenantId, filter)} limit ${limit}) found`);
}

export type ChangeRow = Pick<EntryRow, 'id' | 'action' | 'key_id' | 'metadata'>;

/** A page is small, because the metadata of one entry can have 40 KiB. */
const changesPerPage = 500;

/**
 * Reads the entries with these actions by a cursor, in the order of their ids. A query for each page would cost several
 * times more.
 */
export async function forEachPage(
  tx: Sql,
  tenantId: string,
  actions: readonly string[],
  { after, through }: { readonly after: number; readonly through: number },
  call: (rows: readonly ChangeRow[]) => Promise<void>,
): Promise<void> {
  let work = Promise.resolve();
  // postgres.js waits for the promise that a cursor's callback returns, although the types of postgres.js do not say
  // so.
  const next = (rows: readonly ChangeRow[]): unknown => {
    work = call(rows);
    work.catch(() => {});
    return work;
  };
  await tx<ChangeRow[]>`
    select id, action, key_id, metadata from eaas.audit_entries
    where tenant_id = ${tenantId} and action = any (${[...actions]}::text[])
      and id > ${after} and id <= ${through} order by id`.cursor(changesPerPage, next);
  // postgres.js does not wait for the promise of the cursor's last callback, so this function waits for this promise.
  await work;
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

/**
 * Sets `oldest_at`, which is never later than the time of the oldest entry. For a log without entries, `oldest_at` is
 * yesterday, because every future entry is later than yesterday.
 */
export async function tenantsToPurge(sql: Sql, time: number): Promise<string[]> {
  const yesterday = (await databaseTime(sql)) - 86_400_000;
  const rows = await sql<{ tenant_id: string; is_due: boolean }[]>`
    update eaas.usage_cursors c set oldest_at = coalesce(
      (select e.created_at from eaas.audit_entries e where e.tenant_id = c.tenant_id
        and e.id = coalesce((select a.id from eaas.audit_anchors a where a.tenant_id = c.tenant_id), 0) + 1 limit 1),
      ${yesterday}::bigint)
    where c.tenant_id in (
      select tenant_id from eaas.usage_cursors where oldest_at < ${time} order by oldest_at limit 50000)
    returning tenant_id, oldest_at < ${time} as is_due`;
  return rows.filter((row) => row.is_due).map((row) => row.tenant_id);
}

export async function storedRange(sql: Sql, tenantId: string, after?: number) {
  const [row] = await sql<{ first: number | null; last: number | null }[]>`
    select min(id) as first, max(id) as last from eaas.audit_entries
    where tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and id > ${after}`}`;
  return { first: row?.first ?? undefined, last: row?.last ?? undefined };
}

export function readMetadata({ metadata }: ChangeRow): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(metadata);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export interface RawEntry {
  readonly id: number;
  readonly createdAt: number;
  /** Each column is a length of 4 bytes and a text. For null, all bits of the length are set. */
  readonly parts: Buffer;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

const pageBytes = 4 * 1024 * 1024;
const signature = 'PGCOPY\n\u00ff\r\n\0';
const fieldCount = 10;

/** postgres.js throws if a connection sends another query during a COPY, so a transaction is needed. */
export async function rawEntries(tx: Transaction, tenantId: string, first: number, last: number) {
  if (parseUuid(tenantId) !== tenantId) throw new TypeError('`tenantId` must be a UUID in lower case');
  // COPY accepts no parameters, so every value is checked before it is inserted into the SQL. The query sorts by the
  // number `e.id`, because the output column `id` is text.
  const query = tx.unsafe(`copy (
    select id::text, action, key_id::text, key_version::text, actor, ip_address, metadata, created_at::text, hash, mac
    from (
      select *, sum(octet_length(metadata)) over (order by id rows unbounded preceding) - octet_length(metadata) as before
      from eaas.audit_entries
      where tenant_id = '${tenantId}' and id between ${whole(first)} and ${whole(last)}
    ) e
    where before < ${whole(pageBytes)} order by e.id
  ) to stdout (format binary)`);
  const chunks: Buffer[] = [];
  const stream = await query.readable();
  await new Promise<void>((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      // postgres.js pauses the socket when the buffer of the stream is full. `_read` resumes the socket, so that the
      // connection stays usable after the COPY.
      stream._read(0);
      resolve();
    });
    stream.on('error', reject);
  });
  const bytes = Buffer.concat(chunks);
  // `isCut` tells the caller to read the next rows. The SQL limits only the bytes of the metadata, but `bytes.length`
  // counts all bytes. So `isCut` can be true although no rows remain. The caller's next read then returns no row.
  const rows = readRows(bytes);
  const firstOfSubjects = bytes.includes(creation) ? rows.flatMap(createdSubject) : [];
  return { rows, isCut: bytes.length >= pageBytes, created: firstOfSubjects };
}

/** The first entry of a subject, and the subject's id as the log shows it. */
export interface CreatedSubject {
  readonly id: number;
  readonly subject: string;
}

const creation = '"subject_created":true';
/** The end of an entry: the end of its metadata, and its time. No context can have put the members there. */
const created =
  /"subject":"([\da-f]{32})","subject_created":true(?:,"user":"[\da-f]{32}")?(?:,"user_asserted":true)?\}.{4}\d+$/s;

function createdSubject({ id, parts }: RawEntry): CreatedSubject[] {
  if (!parts.includes(creation)) return [];
  const [, subject] = created.exec(parts.toString('latin1', Math.max(0, parts.length - 256))) ?? [];
  return subject === undefined ? [] : [{ id, subject }];
}

function readRows(bytes: Buffer): RawEntry[] {
  if (bytes.toString('latin1', 0, signature.length) !== signature)
    throw new Error('expected the binary COPY format of version 1 from PostgreSQL (got another format)');
  const rows: RawEntry[] = [];
  const extension = signature.length + 4;
  let at = extension + 4 + bytes.readUInt32BE(extension);
  for (let count = bytes.readInt16BE(at); count !== -1; count = bytes.readInt16BE(at)) {
    if (count !== fieldCount)
      throw new Error(`expected ${fieldCount} columns in each row of a COPY from PostgreSQL (got ${count})`);
    const start = at + 2;
    const idEnd = fieldEnd(bytes, start);
    let createdAt = start;
    for (let field = 0; field < 7; field++) createdAt = fieldEnd(bytes, createdAt);
    const end = fieldEnd(bytes, createdAt);
    const hashEnd = fieldEnd(bytes, end);
    at = fieldEnd(bytes, hashEnd);
    rows.push({
      id: Number(bytes.toString('latin1', start + 4, idEnd)),
      createdAt: Number(bytes.toString('latin1', createdAt + 4, end)),
      parts: bytes.subarray(start, end),
      hash: bytes.subarray(end + 4, hashEnd),
      mac: bytes.subarray(hashEnd + 4, at),
    });
  }
  return rows;
}

function fieldEnd(bytes: Buffer, at: number): number {
  const length = bytes.readInt32BE(at);
  return length === -1 ? at + 4 : at + 4 + length;
}

function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`an entry id must be a safe integer (got ${value})`);
  return value.toFixed();
}
