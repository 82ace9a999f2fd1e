import { Explained } from '../base/refusal.ts';
import { judgeAllAges, judgeEnds } from '../operations/verify/ends.ts';
import { startWalk, walkEntries } from '../operations/verify/entries.ts';
import { beginInspection } from '../operations/verify/report.ts';
import { advanceRows, rowsDigest, type RowsThen } from '../operations/verify/rows-then.ts';
import { firstRow, walkRows } from '../operations/verify/rows.ts';
import type { Service } from '../app/service.ts';
import { requireAgreement } from '../state/clock.ts';
import { seal } from '../state/integrity.ts';
import { anchorTable, findAnchor, findHead, lockHead, purgeThrough } from '../store/heads.ts';
import { firstEntrySince, tenantsToPurge } from '../store/audit-entries.ts';
import { databaseTime, type Sql } from '../store/sql.ts';
import { findTenant } from '../store/tenants.ts';
import { countedThrough } from '../store/usage.ts';
import { forEach, type Lease } from './schedule.ts';

const stepSize = 10_000;
const stepTime = 60_000;

export async function purge(service: Service, months: number, lease: Lease): Promise<void> {
  await requireAgreement(service);
  const before = monthsEarlier(service.clock.now(), months);
  const tenants = await service.background.run((sql) => tenantsToPurge(sql, before), 30_000);
  await forEach(tenants, lease.signal, async (tenantId) => {
    const rows: RowsThen = new Map();
    let deleted = stepSize;
    while (deleted === stepSize && !lease.signal.aborted) {
      deleted = await purgeStep(service, tenantId, months, lease, rows);
    }
  });
}

export function monthsEarlier(time: number, months: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, lastDay));
}

async function purgeStep(
  service: Service,
  tenantId: string,
  months: number,
  { hold }: Lease,
  rows: RowsThen,
): Promise<number> {
  const inspection = beginInspection(service, tenantId);
  const { database, findings } = inspection;
  const isFirst = rows.size === 0;
  const step = await database.snapshot(async (tx) => {
    const last = await lastToPurge(tx, tenantId, monthsEarlier(await databaseTime(tx), months));
    if (last === undefined || !(await findTenant(tx, tenantId))) return undefined;
    const ends = await judgeEnds(tx, inspection, service.tenants.roots);
    const { secrets, anchor } = ends;
    const read = secrets && isFirst ? await judgeAllAges(tx, inspection, ends) : [];
    for (const [rowId, rev] of read) rows.set(rowId, rev);
    await advanceRows(tx, inspection, rows, { after: anchor.id, through: last });
    const walk = await startWalk(tx, tenantId, anchor.id + 1, anchor);
    return { secrets, anchorId: anchor.id, last, walk, digest: await rowsDigest(inspection, rows) };
  }, stepTime);
  if (!step) return 0;
  const { secrets, last, walk } = step;
  if (secrets && isFirst) await walkRows(inspection, secrets, firstRow);
  if (secrets) await walkEntries(inspection, secrets, walk, last);
  const { previous: hash, time: previousTime } = walk;
  const isCurrent = async (sql: Sql) => (await anchorId(sql, tenantId)) === step.anchorId;
  // Another replica might have purged the same entries while this replica was verifying them. Missing entries are then
  // no sign of tampering.
  if (findings.count > 0 && !(await database.run(isCurrent))) return 0;
  // A log with signs of tampering is not purged, because the purge would delete the entries that prove the tampering.
  if (!secrets || !hash || findings.count > 0) throw new NotPurged(tenantId, findings.first[0]?.reason);
  const content = { tenant_id: tenantId, id: last, hash, rows_digest: step.digest };
  const anchor = seal(secrets, anchorTable, content);
  return database.transaction(async (tx) => {
    await hold(tx);
    await lockHead(tx, tenantId);
    if (previousTime >= monthsEarlier(await databaseTime(tx), months)) {
      throw new NotPurged(tenantId, 'the time of an entry was changed');
    }
    return (await isCurrent(tx)) ? purgeThrough(tx, anchor) : 0;
  }, stepTime);
}

class NotPurged extends Explained {
  override readonly name = 'NotPurged';
  constructor(tenantId: string, reason = 'the chain is broken') {
    super(
      `no entry of tenant ${tenantId} was purged, because the verification of its audit log failed ` +
        `(${reason}): run \`eaas audit verify --tenant ${tenantId}\``,
    );
  }
}

async function lastToPurge(sql: Sql, tenantId: string, before: number): Promise<number | undefined> {
  const head = await findHead(sql, tenantId);
  const first = (await anchorId(sql, tenantId)) + 1;
  if (!head || first > head.id) return undefined;
  const old = (await firstEntrySince(sql, tenantId, before, { first, last: head.id })) - 1;
  // The usage job must count an audit entry before a purge deletes the entry.
  const last = Math.min(old, first + stepSize - 1, await countedThrough(sql, tenantId));
  return last >= first ? last : undefined;
}

async function anchorId(sql: Sql, tenantId: string): Promise<number> {
  return (await findAnchor(sql, tenantId))?.id ?? 0;
}
