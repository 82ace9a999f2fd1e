import { encodedEntryChainer, type Link, macHolds } from '../../crypto/audit-mac.ts';
import type { TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { sameBytes } from '../../crypto/same-bytes.ts';
import { nextStored } from '../../store/audit-entries.ts';
import type { Database } from '../../store/database.ts';
import { type RawEntry, rawEntries } from '../../store/raw-entries.ts';
import type { Findings } from './report.ts';

const pageSize = 10_000;

/** How far to go at once. */
export interface Pace {
  /** Asked after each page: whether to stop there. */
  readonly enough: () => boolean;
  /** Milliseconds that a page may take. */
  readonly timeLeft: () => number;
}

/** To the end, a minute a page. */
export const unhurried: Pace = { enough: () => false, timeLeft: () => 60_000 };

/** Where the walk along a chain has come to. */
export interface Walk {
  /** The next id to judge. */
  next: number;
  /** The hash before it, or undefined where the entry that has it is missing. */
  previous: Uint8Array | undefined;
  previousTime: number;
  checked: number;
}

/**
 * Recomputes the hash and the MAC of each entry up to the last, page by page: while one is judged the next is on its
 * way, and no more is in memory. Stops after a page when `enough` says so.
 */
export async function walkEntries(
  database: Database,
  tenantId: string,
  secrets: TenantSecrets,
  walk: Walk,
  last: number,
  findings: Findings,
  { enough, timeLeft }: Pace,
): Promise<void> {
  const chain = encodedEntryChainer(secrets.auditMac, tenantId);
  const page = (first: number): Promise<RawEntry[]> => {
    const end = Math.min(last, first + pageSize - 1);
    const coming = database.snapshot((tx) => rawEntries(tx, tenantId, first, end), timeLeft());
    // It may come to nothing while nobody waits for it yet.
    coming.catch(() => {});
    return coming;
  };
  let coming = page(walk.next);
  while (walk.next <= last) {
    const rows = await coming;
    let end = Math.min(last, walk.next + pageSize - 1);
    if (rows.length === 0) {
      // A changed head can name an entry of the far future: nobody walks there page by page.
      const stored = await database.run((sql) => nextStored(sql, tenantId, end), timeLeft());
      end = Math.min(last, (stored ?? last + 1) - 1);
    }
    if (end < last) coming = page(end + 1);
    for (const row of rows) {
      skipTo(walk, row.id, findings);
      judge(secrets, walk, row, walk.previous && chain(walk.previous, row.parts), findings);
    }
    skipTo(walk, end + 1, findings);
    if (enough()) return;
  }
}

function judge(
  secrets: TenantSecrets,
  walk: Walk,
  row: RawEntry,
  expected: Link | undefined,
  findings: Findings,
): void {
  if (row.createdAt < walk.previousTime) findings.add('time_went_back', row.id);
  if (expected && !sameBytes(expected.hash, row.hash)) findings.add('entry_changed', row.id);
  else if (!(expected ? sameBytes(expected.mac, row.mac) : macHolds(secrets.auditMac, row.hash, row.mac))) {
    findings.add('entry_mac_invalid', row.id);
  }
  walk.next = row.id + 1;
  walk.checked++;
  walk.previousTime = row.createdAt;
  // The chain goes on from what is stored, so that one change is one finding.
  walk.previous = row.hash.length === 32 ? row.hash : undefined;
}

function skipTo(walk: Walk, id: number, findings: Findings): void {
  if (walk.next >= id) return;
  findings.add('entry_missing', walk.next, undefined, id - walk.next);
  walk.next = id;
  // What the next entry was chained to is gone with the one before it.
  walk.previous = undefined;
}
