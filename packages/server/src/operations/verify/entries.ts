import { chainEntry } from '../../crypto/audit-mac.ts';
import type { TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { sameBytes } from '../../crypto/same-bytes.ts';
import { entriesFrom, type EntryRow } from '../../store/audit-entries.ts';
import type { Database } from '../../store/database.ts';
import type { Findings } from './report.ts';

const pageSize = 5_000;
const pageTime = 30_000;

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
 * way, and no more is in memory. Stops early when `enough` says so.
 */
export async function walkEntries(
  database: Database,
  tenantId: string,
  secrets: TenantSecrets,
  walk: Walk,
  last: number,
  findings: Findings,
  enough: () => boolean,
): Promise<void> {
  const page = (first: number): Promise<EntryRow[]> =>
    database.run((sql) => entriesFrom(sql, tenantId, first, last, pageSize), pageTime);
  let coming = page(walk.next);
  while (walk.next <= last && !enough()) {
    const rows = await coming;
    const end = rows.at(-1)?.id;
    if (end !== undefined && end < last) {
      coming = page(end + 1);
      coming.catch(() => {});
    }
    for (const row of rows) judge(tenantId, secrets, walk, row, findings);
    if (rows.length < pageSize) skipTo(walk, last + 1, findings);
  }
}

function judge(
  tenantId: string,
  secrets: TenantSecrets,
  walk: Walk,
  row: EntryRow,
  findings: Findings,
): void {
  skipTo(walk, row.id, findings);
  walk.next = row.id + 1;
  walk.checked++;
  if (row.created_at < walk.previousTime) findings.add('time_went_back', row.id);
  walk.previousTime = row.created_at;
  const link = walk.previous && linkOf(tenantId, secrets, walk.previous, row);
  // After a gap the hash cannot be recomputed; the chain goes on from what is stored.
  walk.previous = row.hash;
  if (link === undefined) return;
  if (link === null || !sameBytes(link.hash, row.hash)) findings.add('entry_changed', row.id);
  else if (!sameBytes(link.mac, row.mac)) findings.add('entry_mac_invalid', row.id);
}

/** Null where the row holds what no entry can, such as a number beyond 2^53. */
function linkOf(tenantId: string, secrets: TenantSecrets, previous: Uint8Array, row: EntryRow) {
  const numbers = [row.id, row.key_version ?? 0, row.created_at];
  if (!numbers.every(Number.isSafeInteger)) return null;
  try {
    return chainEntry(secrets.auditMac, previous, { ...row, tenant_id: tenantId });
  } catch {
    return null;
  }
}

function skipTo(walk: Walk, id: number, findings: Findings): void {
  if (walk.next >= id) return;
  for (; walk.next < id && findings.count < 1_000; walk.next++) findings.add('entry_missing', walk.next);
  walk.next = id;
  walk.previous = undefined;
}
