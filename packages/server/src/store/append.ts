import type { StoredEntry } from '@eaas/protocol/audit';
import type { HeadRow } from './heads.ts';
import type { Sql } from './sql.ts';

/**
 * Consecutive audit entries that one SQL statement appends. The object also has the head before the first entry and the
 * head after the last entry.
 */
export interface Link {
  readonly expected: HeadRow;
  readonly next: HeadRow;
  readonly runs: readonly EncodedRun[];
  /** 64 bytes for each entry: its hash and its MAC. */
  readonly seals: Uint8Array;
}

/** Consecutive entries that differ only in their ids and seals, as JSON for the SQL function `eaas.append`. */
export type EncodedRun = string;

export interface Appended {
  /**
   * `moved` means that the head has changed since the entries were chained. `clock` means that `now` differs too much
   * from the database's time.
   */
  readonly outcome: 'written' | 'moved' | 'clock';
  readonly time: number;
}

/**
 * Appends audit entries and advances the head in one statement. Writes nothing if the head has changed, or if `now`
 * differs too much from the database's time. `now` is the time at which the entries were decided. Throws after a second
 * if another transaction has locked the head.
 */
export async function appendLink(sql: Sql, tenantId: string, link: Link, now: number): Promise<Appended> {
  const { expected, next, runs, seals } = link;
  const [row] = await sql<{ appended: string }[]>`
    select eaas.append(${tenantId}, ${expected.id}, ${expected.hash}, ${expected.state_id},
      ${next.id}, ${next.hash}, ${next.state_id}, ${next.state_hash}, ${next.created_at},
      ${next.month}, ${next.encrypts}, ${next.mac},
      ${now}, ${`[${runs.join(',')}]`}, ${seals}) as appended`;
  const [outcome, time] = row?.appended.split(' ') ?? [];
  if (outcome !== 'written' && outcome !== 'moved' && outcome !== 'clock') {
    throw new Error(
      `the SQL function eaas.append must return written, moved or clock (got ${row?.appended})`,
    );
  }
  return { outcome, time: Number(time) };
}

/**
 * Encodes a run: the entries `first` to `last` of their link, counted from 1. The runs of a link are sent as one JSON text,
 * because the driver would escape each value of a list.
 */
export function encodeRun(entry: StoredEntry, first: number, last: number): EncodedRun {
  const { action, key_id, key_version, actor, ip_address, metadata } = entry;
  const others = JSON.stringify({ first, last, action, key_id, key_version, actor, ip_address });
  // The metadata is sent as JSON, not as a JSON string, in which each quote would be escaped. PostgreSQL keeps the text
  // of JSON unchanged.
  return `${others.slice(0, -1)},"metadata":${metadata}}`;
}
