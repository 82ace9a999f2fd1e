import type { Steps } from '@eaas/protocol/service';
import type { ChainHead } from '../../crypto/checkpoint.ts';
import { encodedEntryChainer, type Link, macHolds } from '../../crypto/audit-mac.ts';
import type { TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { sameBytes } from '../../crypto/same-bytes.ts';
import { entryAt, storedRange } from '../../store/audit-entries.ts';
import { databaseTime } from '../../store/database-time.ts';
import { type RawEntry, rawEntries } from '../../store/raw-entries.ts';
import type { Sql } from '../../store/sql.ts';
import type { Inspection } from './report.ts';

const pageSize = 10_000;
const mostAhead = 60_000;

type Walk = Awaited<ReturnType<typeof startWalk>>;

export async function startWalk(sql: Sql, tenantId: string, first: number, anchor: ChainHead) {
  const latest = (await databaseTime(sql)) + mostAhead;
  const before =
    first === anchor.id + 1 ? { hash: anchor.hash, created_at: 0 } : await entryAt(sql, tenantId, first - 1);
  const previousTime = before?.created_at ?? 0;
  return { next: first, previous: before?.hash, previousTime, latest, checked: 0 };
}

export async function walkEntries(inspection: Inspection, secrets: TenantSecrets, walk: Walk, last: number) {
  const { database, turns, tenantId, shouldStop, timeLeft } = inspection;
  const chain = encodedEntryChainer(secrets.auditMac, tenantId);
  const page = (first: number): ReturnType<typeof rawEntries> => {
    const end = Math.min(last, first + pageSize - 1);
    const coming = database.snapshot((tx) => rawEntries(tx, tenantId, first, end), timeLeft());
    // The read of the next page can fail before the loop awaits it. The empty handler prevents an unhandled rejection.
    coming.catch(() => {});
    return coming;
  };
  function* judgePage(rows: readonly RawEntry[]): Steps<void> {
    for (const row of rows) {
      skipTo(inspection, walk, row.id);
      judge(inspection, secrets, walk, row, walk.previous && chain(walk.previous, row.parts));
      yield;
    }
  }
  let coming = page(walk.next);
  while (walk.next <= last) {
    const { rows, isCut } = await coming;
    const lastRow = rows.at(-1);
    let end = isCut && lastRow ? lastRow.id : Math.min(last, walk.next + pageSize - 1);
    if (rows.length === 0) {
      // The page has no entries, so the loop continues at the next stored entry. A tampered head can have a very high
      // id, and millions of empty pages would take too long.
      const stored = await database.run((sql) => storedRange(sql, tenantId, end), timeLeft());
      end = Math.min(last, (stored.first ?? last + 1) - 1);
    }
    if (end < last) coming = page(end + 1);
    await turns.run(tenantId, judgePage(rows), { isBegun: true });
    skipTo(inspection, walk, end + 1);
    if (shouldStop()) return;
  }
}

function judge(
  { findings }: Inspection,
  { auditMac }: TenantSecrets,
  walk: Walk,
  { id, createdAt, hash, mac }: RawEntry,
  expected: Link | undefined,
): void {
  if (createdAt > walk.latest) findings.add('entry_in_future', id);
  if (createdAt < walk.previousTime) findings.add('time_went_back', id);
  const isAuthentic = expected ? sameBytes(expected.mac, mac) : macHolds(auditMac, hash, mac);
  if (expected && !sameBytes(expected.hash, hash)) findings.addChangedEntry('entry_changed', id);
  else if (!isAuthentic) findings.addChangedEntry('entry_mac_invalid', id);
  walk.next = id + 1;
  walk.checked++;
  walk.previousTime = createdAt;
  // The next entry is verified against the stored hash of this entry, even if the stored hash is wrong. Otherwise, one
  // changed entry would cause a finding for every later entry.
  walk.previous = hash.length === 32 ? hash : undefined;
}

function skipTo({ findings }: Inspection, walk: Walk, id: number): void {
  if (walk.next >= id) return;
  findings.add('entry_missing', walk.next, undefined, id - walk.next);
  walk.next = id;
  walk.previous = undefined;
}
