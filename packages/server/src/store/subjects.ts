import { first, type Fragment, type Table } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

export interface SubjectRow {
  readonly tenant_id: string;
  /** 32 bytes. */
  readonly subject_id: Uint8Array;
  /** The secret of the subject. Null once the subject is erased. */
  readonly sealed: Uint8Array | null;
  readonly created_id: number;
  readonly created_at: number;
  readonly erased_id: number | null;
  readonly erased_at: number | null;
  readonly erased_hash: Uint8Array | null;
  readonly mac: Uint8Array;
}

export const subjectTable: Table<SubjectRow> = {
  name: 'subjects',
  id: 'subject_id',
  label: ['eaas row v1', 'subjects'],
  columns: [
    'tenant_id',
    'subject_id',
    'sealed',
    'created_id',
    'created_at',
    'erased_id',
    'erased_at',
    'erased_hash',
  ],
  numbers: ['created_id', 'created_at', 'erased_id', 'erased_at'],
};

/** The id of a subject as the API shows it. */
export const subjectIdOf = ({ subject_id }: Pick<SubjectRow, 'subject_id'>): string =>
  Buffer.from(subject_id).toString('hex');

/** A subject, and the erasure that its row record names. A row that has a secret beside such a record was put back. */
export type LoadedSubject = SubjectRow & { readonly recorded: number | null };

/** The id of a subject in `row_records`, and in the audit log: its first half, as a UUID. */
export function rowIdOf(id: string): string {
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20, 32)}`;
}

/** The same as `rowIdOf`, in SQL. A forged id can be short. */
export const rowIdIn = (sql: Sql, subjectId: Fragment): Fragment =>
  sql`encode(substr(${subjectId} || decode(repeat('00', 16), 'hex'), 1, 16), 'hex')::uuid`;

/** The last id of a subject with this row id, in SQL. */
export const lastOf = (sql: Sql, rowId: Fragment): Fragment =>
  sql`uuid_send(${rowId}) || decode(repeat('ff', 17), 'hex')`;

/**
 * Returns the subjects with the row ids in `wanted`, as `t`. Each is found by its own search in the primary key. Two rows
 * with one row id are found too, of which one must be forged.
 */
export function subjectsBy(sql: Sql, tenantId: string, wanted: Fragment) {
  return sql`${wanted} as wanted (value) cross join lateral (
      select * from eaas.subjects where tenant_id = ${tenantId} and subject_id >= uuid_send(wanted.value)
        and subject_id <= ${lastOf(sql, sql`wanted.value`)} order by subject_id limit 2
    ) t where true`;
}

export async function findSubjects(
  sql: Sql,
  tenantId: string,
  subjectIds: readonly string[],
): Promise<LoadedSubject[]> {
  const wanted = subjectIds.map((id) => `\\x${id}`);
  return sql<LoadedSubject[]>`
    select s.*, (select max(r.rev) from eaas.row_records r
      where r.tenant_id = ${tenantId} and r.row_id = ${rowIdIn(sql, sql`s.subject_id`)}) as recorded
    from unnest(${wanted}::bytea[]) as wanted (id) cross join lateral (
      select * from eaas.subjects where tenant_id = ${tenantId} and subject_id = wanted.id limit 1
    ) s`;
}

/** Reads subjects by ascending id, erased ones included, from the one with the id `from` or the next. */
export async function subjectsFrom(sql: Sql, tenantId: string, from: string, limit: number) {
  return sql<LoadedSubject[]>`
    select s.*, (select max(r.rev) from eaas.row_records r
      where r.tenant_id = ${tenantId} and r.row_id = ${rowIdIn(sql, sql`s.subject_id`)}) as recorded
    from (select * from eaas.subjects where tenant_id = ${tenantId} and subject_id >= ${Buffer.from(from, 'hex')}
      order by subject_id limit ${limit}) s order by s.subject_id`;
}

export function findSubject(sql: Sql, tenantId: string, subjectId: string) {
  return first(findSubjects(sql, tenantId, [subjectId]));
}

/** Counts the subjects of a tenant that are not erased. */
export async function countSubjects(sql: Sql, tenantId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count from eaas.subject_counts where tenant_id = ${tenantId}`;
  return row?.count ?? 0;
}

/** Writes a row, in place of an older one of the same subject. */
export async function writeSubject(tx: Transaction, row: SubjectRow): Promise<void> {
  const { tenant_id, subject_id, sealed, created_id, created_at, erased_id, erased_at, erased_hash, mac } =
    row;
  await tx`
    insert into eaas.subjects
      (tenant_id, subject_id, sealed, created_id, created_at, erased_id, erased_at, erased_hash, mac)
    values (${tenant_id}, ${subject_id}, ${sealed}, ${created_id}, ${created_at}, ${erased_id}, ${erased_at}, ${erased_hash}, ${mac})
    on conflict (tenant_id, subject_id) do update set sealed = excluded.sealed, erased_id = excluded.erased_id,
      erased_at = excluded.erased_at, erased_hash = excluded.erased_hash, mac = excluded.mac`.execute();
}

/** A new subject as the append takes it: its bytes are in hexadecimal. */
export interface NewSubject {
  readonly subject_id: string;
  readonly sealed: string;
  readonly created_id: number;
  readonly mac: string;
}

export function newSubject({ subject_id, sealed, created_id, mac }: SubjectRow): NewSubject {
  const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('hex');
  return { subject_id: hex(subject_id), sealed: hex(sealed), created_id, mac: hex(mac) };
}
