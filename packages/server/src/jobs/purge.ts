import { judgeEnds } from '../operations/verify/ends.ts';
import { unhurried, walkEntries } from '../operations/verify/entries.ts';
import { Findings } from '../operations/verify/report.ts';
import { rowsDigest } from '../operations/verify/rows.ts';
import { requireRightClock, type Service } from '../service.ts';
import { sealAnchor } from '../state/integrity.ts';
import { type AnchorRow, findAnchor, purgeThrough } from '../store/anchors.ts';
import { firstEntrySince } from '../store/audit-entries.ts';
import { findHead, lockHead } from '../store/heads.ts';
import type { Sql, Transaction } from '../store/sql.ts';
import { findTenant, listTenants } from '../store/tenants.ts';
import { countedThrough } from '../store/usage.ts';
import { forEach } from './each.ts';

const atOnce = 10_000;
const stepTime = 60_000;

/** Deletes entries older than so many months, from the oldest on, and leaves an anchor from which the chain goes on. */
export async function purge(service: Service, months: number, signal: AbortSignal): Promise<void> {
  requireRightClock(service);
  const before = monthsEarlier(service.clock(), months);
  const tenants = await service.background.run(listTenants);
  await forEach(tenants, signal, async ({ tenant_id: tenantId }) => {
    let gone = atOnce;
    while (gone === atOnce && !signal.aborted) gone = await purgeSome(service, tenantId, before);
  });
}

/** The same day and time so many months earlier, or the last day of that month where it has no such day. */
export function monthsEarlier(time: number, months: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, lastDay));
}

/** Answers how many entries went. */
async function purgeSome(service: Service, tenantId: string, before: number): Promise<number> {
  const { background: database, tenants } = service;
  const findings = new Findings();
  const step = await database.snapshot(async (tx) => {
    const last = await lastToGo(tx, tenantId, before);
    const tenant = last === undefined ? undefined : await findTenant(tx, tenantId);
    if (last === undefined || !tenant) return undefined;
    const ends = await judgeEnds(tenants.roots, tx, tenantId, findings);
    return { ...ends, last, digest: await rowsDigest(tx, tenant, last) };
  }, stepTime);
  if (!step) return 0;
  const { secrets, anchor: from, last, digest } = step;
  const walk = { next: from.id + 1, previous: from.hash, previousTime: 0, checked: 0 };
  if (secrets) await walkEntries(database, tenantId, secrets, walk, last, findings, unhurried);
  const { previous: hash, previousTime } = walk;
  // Another replica came first, and took the entries away while they were looked at.
  if (findings.count > 0 && (await database.run((sql) => anchorId(sql, tenantId))) > from.id) return 0;
  // A new anchor would vouch for what was tampered with, and the entries that tell of it would be gone.
  if (!secrets || !hash || findings.count > 0) throw new NotPurged(tenantId, findings.first[0]?.reason);
  if (previousTime >= before) throw new NotPurged(tenantId, 'a time was changed');
  const anchor = sealAnchor(secrets, tenantId, { id: last, hash, rows_digest: digest });
  return database.transaction((tx) => carryOut(tx, tenantId, from.id, anchor), stepTime);
}

class NotPurged extends Error {
  override readonly name = 'NotPurged';
  constructor(tenantId: string, reason = 'it is broken') {
    super(`nothing of tenant ${tenantId} is purged until its chain is whole again: ${reason}`);
  }
}

/** The last entry that one step deletes, if any. */
async function lastToGo(sql: Sql, tenantId: string, before: number): Promise<number | undefined> {
  const head = await findHead(sql, tenantId);
  const first = (await anchorId(sql, tenantId)) + 1;
  if (!head || first > head.id) return undefined;
  const old = (await firstEntrySince(sql, tenantId, before, { first, last: head.id })) - 1;
  // What is not counted yet stays until it is.
  const last = Math.min(old, first + atOnce - 1, await countedThrough(sql, tenantId));
  return last >= first ? last : undefined;
}

async function carryOut(tx: Transaction, tenantId: string, from: number, anchor: AnchorRow): Promise<number> {
  await lockHead(tx, tenantId);
  // Another replica may have come first.
  return (await anchorId(tx, tenantId)) === from ? purgeThrough(tx, tenantId, anchor) : 0;
}

async function anchorId(sql: Sql, tenantId: string): Promise<number> {
  return (await findAnchor(sql, tenantId))?.id ?? 0;
}
