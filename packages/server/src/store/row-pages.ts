import type { ApiKeyRow } from './api-keys.ts';
import type { CreatedSubject } from './audit-entries.ts';
import type { KeyRow, KeyVersionRow } from './keys.ts';
import type { IssuerRow } from './issuers.ts';
import { idsOf } from './rows.ts';
import { inSubjects } from './schema.ts';
import type { Sql } from './sql.ts';
import { lastOf, rowIdIn, type SubjectRow, subjectsBy } from './subjects.ts';

/**
 * Counts the rows of tables that have at most one row per tenant. A count above 1 shows that someone has removed a
 * constraint.
 */
export async function countSingleRows(sql: Sql, tenantId: string): Promise<Record<string, number>> {
  const [row] = await sql<Record<string, number>[]>`select
    (select count(*) from eaas.tenants where tenant_id = ${tenantId}) as tenant,
    (select count(*) from eaas.audit_heads where tenant_id = ${tenantId}) as head,
    (select count(*) from eaas.audit_anchors where tenant_id = ${tenantId}) as anchor`;
  return row ?? {};
}

export interface RowAge {
  readonly kind: 'tenant' | 'key' | 'api_key' | 'issuer' | 'subject';
  readonly id: string;
  /** The entry of the last change. The one change of a subject is its erasure. */
  readonly rev: number;
  readonly created_id: number;
}

/** Reads the ages of all rows that changes name. A living subject has none. */
export async function rowAges(sql: Sql, tenantId: string): Promise<RowAge[]> {
  const of = (table: string) => sql`eaas.${sql(table)} where tenant_id = ${tenantId}`;
  return sql<RowAge[]>`
    select 'tenant' as kind, tenant_id as id, rev, 0::bigint as created_id from ${of('tenants')}
    union all select 'key', key_id, rev, created_id from ${of('keys')}
    union all select 'api_key', api_key_id, rev, created_id from ${of('api_keys')}
    union all select 'issuer', issuer_id, rev, created_id from ${of('issuers')}
    union all select 'subject', ${rowIdIn(sql, sql`coalesce(subject_id, '')`)}, erased_id, created_id
      from ${of('subjects')} and erased_id is not null`;
}

/** Returns the living subjects among these rows, which no change names. */
export function livingSubjects(sql: Sql, tenantId: string, rowIds: readonly string[]): Promise<RowAge[]> {
  return sql<RowAge[]>`
    select 'subject' as kind, value as id, 0::bigint as rev, created_id
    from ${subjectsBy(sql, tenantId, idsOf(sql, rowIds))} and erased_id is null`;
}

/** Reads the rows by a cursor, because a tenant can have millions. */
export async function recordedRevs(
  tx: Sql,
  tenantId: string,
  through = Number.MAX_SAFE_INTEGER,
): Promise<ReadonlyMap<string, number>> {
  const recorded = new Map<string, number>();
  await tx<{ row_id: string; rev: number }[]>`
    select row_id, max(rev) as rev from eaas.row_records
    where tenant_id = ${tenantId} and rev <= ${through}
    group by row_id`.cursor(1_000, (page) => {
    for (const { row_id, rev } of page) recorded.set(row_id, rev);
  });
  return recorded;
}

const pageVersions = 1_000;

export async function keyPage(sql: Sql, tenantId: string, after: string): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select k.* from (
      select key_id, sum(greatest(key_version, 1)) over (order by key_id) - greatest(key_version, 1) as before
      from (
        select key_id, key_version from eaas.keys
        where tenant_id = ${tenantId} and key_id > ${after} order by key_id limit ${pageVersions}
      ) next
    ) counted cross join lateral (
      select * from eaas.keys where tenant_id = ${tenantId} and key_id = counted.key_id limit 1
    ) k where before < ${pageVersions} order by k.key_id`;
}

export async function versionsOf(sql: Sql, tenantId: string, keyIds: readonly string[]) {
  return sql<KeyVersionRow[]>`
    select key_id, key_version, created_at, sealed from eaas.key_versions
    where tenant_id = ${tenantId} and key_id = any (${[...keyIds]}::uuid[])`;
}

export async function strayVersions(sql: Sql, tenantId: string) {
  return sql<Pick<KeyVersionRow, 'key_id' | 'key_version'>[]>`
    select v.key_id, v.key_version from eaas.key_versions v
    where tenant_id = ${tenantId} and not exists (
      select from eaas.keys k where k.tenant_id = v.tenant_id and k.key_id = v.key_id) limit 1000`;
}

/** A page has only 100 rows, because the row of an API key can have about 20 KiB. */
export async function apiKeyPage(sql: Sql, tenantId: string, after: string): Promise<ApiKeyRow[]> {
  return sql<ApiKeyRow[]>`
    select * from eaas.api_keys where tenant_id = ${tenantId} and api_key_id > ${after}
    order by api_key_id limit 100`;
}

/** As a page of API keys: the row of an issuer can have 40 KiB. */
export async function issuerPage(sql: Sql, tenantId: string, after: string): Promise<IssuerRow[]> {
  return sql<IssuerRow[]>`
    select * from eaas.issuers where tenant_id = ${tenantId} and issuer_id > ${after}
    order by issuer_id limit 10`;
}

const pageSubjects = 1_000;

export interface SubjectPageRow extends SubjectRow {
  /** The id as the log shows it. That of a forged row can be short, or empty. */
  readonly shown: string;
  /** Whether the entry `created_id` created the subject, or is purged. */
  readonly is_created: boolean;
}

export async function subjectPage(sql: Sql, tenantId: string, after: string): Promise<SubjectPageRow[]> {
  // The least id stands for the beginning, because a forged row can have any bytes as its id.
  const isAfter = /[^0-]/.test(after)
    ? sql`and subject_id > ${lastOf(sql, sql`${after}::uuid`)}`
    : sql`and subject_id >= ''`;
  const anchor = sql`select id from eaas.audit_anchors where tenant_id = ${tenantId}`;
  // An imported subject names the last entry of the imported keys.
  return sql<SubjectPageRow[]>`
    select s.*, coalesce(encode(substr(s.subject_id, 1, 16), 'hex'), '') as shown,
      s.created_id <= coalesce((${anchor}), 0) or s.created_id = s.erased_id or exists (
      select from eaas.audit_entries where tenant_id = ${tenantId} and id = s.created_id
        and (position('"subject":"' || encode(substr(s.subject_id, 1, 16), 'hex') || '","subject_created":true' in metadata) > 0
          or action = 'key.create' and metadata like '%"imported":%')) as is_created
    from (
      select t.* from eaas.subjects t where tenant_id = ${tenantId} ${isAfter} order by subject_id limit ${pageSubjects}
    ) s order by subject_id`;
}

/**
 * Returns those of the first entries of subjects that have no row. An erased subject is missing beside the entry of its
 * erasure already.
 */
export async function subjectsWithoutRow(sql: Sql, tenantId: string, created: readonly CreatedSubject[]) {
  const [ids, subjects] = [created.map(({ id }) => id), created.map(({ subject }) => subject)];
  return sql<CreatedSubject[]>`
    select id, subject from unnest(${ids}::bigint[], ${subjects}::text[]) as created (id, subject)
    where (select true from ${subjectsBy(sql, tenantId, sql`(select subject::uuid)`)} limit 1) is null
      and (select true from eaas.audit_entries where tenant_id = ${tenantId} and action = 'subject.erase'
        and ${sql.unsafe(`${inSubjects.mayName} and ${inSubjects.id}`)} = created.subject limit 1) is null
    order by id`;
}
