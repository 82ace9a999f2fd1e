import { ChainWalk } from '@eaas/protocol/internal-audit';
import type { Steps } from '@eaas/protocol/service';
import type { ChainHead } from '../../crypto/checkpoint.ts';
import { encodedEntryChainer, entryMacHolds, type Link } from '../../crypto/macs.ts';
import type { TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { sameBytes } from '../../crypto/hmac.ts';
import { entryAt, rawEntries, type RawEntry, storedRange } from '../../store/audit-entries.ts';
import { subjectsWithoutRow } from '../../store/row-pages.ts';
import { databaseTime, type Sql } from '../../store/sql.ts';
import type { Inspection } from './report.ts';

const pageSize = 10_000;
const mostAhead = 60_000;

type Walk = Awaited<ReturnType<typeof startWalk>>;

/** Begins a walk at the entry `first`. `anchor` is the last purged entry, or the start of the log. */
export async function startWalk(sql: Sql, tenantId: string, first: number, anchor: ChainHead) {
  const latest = (await databaseTime(sql)) + mostAhead;
  const before =
    first === anchor.id + 1 ? { hash: anchor.hash, created_at: 0 } : await entryAt(sql, tenantId, first - 1);
  const walk = new ChainWalk({ next: first, previous: before?.hash, time: before?.created_at ?? 0 });
  return Object.assign(walk, { latest });
}

/** Judges the entries up to `last`, or until the inspection should stop. */
export async function walkEntries(inspection: Inspection, secrets: TenantSecrets, walk: Walk, last: number) {
  const { database, turns, tenantId, shouldStop, timeLeft } = inspection;
  const chain = encodedEntryChainer(secrets.auditMac, tenantId);
  const page = (first: number) => {
    const end = Math.min(last, first + pageSize - 1);
    const coming = database.snapshot(async (tx) => {
      const entries = await rawEntries(tx, tenantId, first, end);
      const { created } = entries;
      return {
        ...entries,
        rowless: created.length > 0 ? await subjectsWithoutRow(tx, tenantId, created) : [],
      };
    }, timeLeft());
    // The read of the next page can fail before the loop awaits it. The empty handler prevents an unhandled rejection.
    coming.catch(() => {});
    return coming;
  };
  function* judgePage(rows: readonly RawEntry[]): Steps<void> {
    for (const row of rows) {
      judge(inspection, secrets, walk, row, chain);
      yield;
    }
  }
  let coming = page(walk.next);
  while (walk.next <= last) {
    const { rows, isCut, rowless } = await coming;
    for (const { id, subject } of rowless) {
      inspection.findings.addUnlessExplained([[id]], 'subject_missing', id, subject);
    }
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
    reportMissing(inspection, walk, walk.skipTo(end + 1));
    if (shouldStop()) return;
  }
}

function judge(
  inspection: Inspection,
  { auditMac }: TenantSecrets,
  walk: Walk,
  { id, createdAt, hash, mac, parts }: RawEntry,
  chain: ReturnType<typeof encodedEntryChainer>,
): void {
  const { findings } = inspection;
  let expected: Link | undefined;
  const stored = { id, time: createdAt, hash: hash.length === 32 ? hash : undefined };
  const step = walk.step(stored, (previous) => {
    expected = chain(previous, parts);
    return sameBytes(expected.hash, hash);
  });
  reportMissing(inspection, { next: id }, step.missing);
  if (createdAt > walk.latest) findings.add('entry_in_future', id);
  if (step.wentBack) findings.add('time_went_back', id);
  const isAuthentic = expected ? sameBytes(expected.mac, mac) : entryMacHolds(auditMac, hash, mac);
  if (step.isAltered) findings.addChangedEntry('entry_changed', id);
  else if (!isAuthentic) findings.addChangedEntry('entry_mac_invalid', id);
}

function reportMissing({ findings }: Inspection, { next }: Pick<Walk, 'next'>, missing: number): void {
  if (missing > 0) findings.add('entry_missing', next - missing, undefined, missing);
}
