import type { StoredEntry } from '@eaas/protocol/audit';
import { Explained } from '../base/refusal.ts';
import type { HeadRow } from './heads.ts';
import type { Sql } from './sql.ts';
import type { NewSubject } from './subjects.ts';

export interface Link {
  readonly expected: HeadRow;
  readonly next: HeadRow;
  readonly runs: readonly string[];
  readonly seals: Uint8Array;
  readonly rows?: RowsOfAppend | undefined;
}

export interface Appended {
  /**
   * `clock`: not written, because `now` differs too much from the database's time. `moved`: not written, because
   * another append or a change came first.
   */
  readonly outcome: 'written' | 'moved' | 'clock';
  readonly time: number;
}

/** Rows that commit with the entries of an append, by their table. */
interface RowsOfAppend {
  /** The rows that the entries change, each with the entry that records its change. */
  readonly row_records?: readonly { readonly row_id: string; readonly rev: number }[];
  /** The subjects that the entries create. */
  readonly subjects?: readonly NewSubject[];
}

/**
 * Appends a link to the log if the head is still the one that the link expects. Throws the database's error for a subject
 * that exists already (`isSubjectTaken`), and then has written nothing.
 */
export async function appendLink(
  sql: Sql,
  tenantId: string,
  { expected, next, runs, seals, rows }: Link,
  now: number,
): Promise<Appended> {
  const [row] = await sql<{ appended: string }[]>`
    select eaas.append(${tenantId}, ${expected.id}, ${expected.hash}, ${expected.state_id},
      ${next.id}, ${next.hash}, ${next.state_id}, ${next.state_hash}, ${next.created_at},
      ${next.month}, ${next.encrypts}, ${next.mac},
      ${now}, ${`[${runs.join(',')}]`}, ${seals}, ${rows ? JSON.stringify(rows) : null}::text::json) as appended`;
  const [outcome, time] = row?.appended.split(' ') ?? [];
  if (outcome !== 'written' && outcome !== 'moved' && outcome !== 'clock') {
    throw new Error(
      `the SQL function eaas.append must return "written", "moved" or "clock" (got "${row?.appended}")`,
    );
  }
  return { outcome, time: Number(time) };
}

/**
 * Thrown if an append fails although its transaction has locked the head of the audit log. A lock is lost when Citus
 * moves the shard of the tenant.
 */
export class NotWritten extends Explained {
  override readonly name = 'NotWritten';

  constructor(outcome: Appended['outcome']) {
    super(
      `expected the result "written" of the append, because the head of the audit log is locked (got "${outcome}")`,
    );
  }
}

/**
 * Encodes consecutive entries that differ only in their ids. Returns JSON text, because a list of values would cost more
 * CPU time: the driver escapes each of its values.
 */
export function encodeRun(entry: StoredEntry, first: number, last: number): string {
  const { action, key_id, key_version, actor, ip_address, metadata } = entry;
  const others = JSON.stringify({ first, last, action, key_id, key_version, actor, ip_address });
  // The metadata is already JSON and is inserted unchanged, because its encoding as a JSON string would escape all
  // quotes.
  return `${others.slice(0, -1)},"metadata":${metadata}}`;
}
