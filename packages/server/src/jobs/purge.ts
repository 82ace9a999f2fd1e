import { anchorMac } from '../crypto/row-mac.ts';
import { rowsDigest } from '../operations/verify/rows.ts';
import type { Service } from '../service.ts';
import { checkedHead, openTenant } from '../state/integrity.ts';
import { anchorParts, findAnchor, purgeThrough } from '../store/anchors.ts';
import { entryAt, firstEntrySince } from '../store/audit-entries.ts';
import { lockHead } from '../store/heads.ts';
import type { Transaction } from '../store/sql.ts';
import { findTenant, listTenants } from '../store/tenants.ts';
import { countedThrough } from '../store/usage.ts';
import { forEach } from './each.ts';

const atOnce = 10_000;

/** Deletes entries older than so many months, from the oldest on, and leaves an anchor from which the chain goes on. */
export async function purge(service: Service, months: number, signal: AbortSignal): Promise<void> {
  const before = monthsEarlier(service.clock(), months);
  const tenants = await service.database.run(listTenants);
  await forEach(tenants, signal, async ({ tenant_id: tenantId }) => {
    let gone = atOnce;
    while (gone === atOnce && !signal.aborted) {
      gone = await service.database.transaction((tx) => purgeSome(service, tx, tenantId, before), 60_000);
    }
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

async function purgeSome(
  service: Service,
  tx: Transaction,
  tenantId: string,
  before: number,
): Promise<number> {
  const head = await lockHead(tx, tenantId);
  const tenant = await findTenant(tx, tenantId);
  if (!head || !tenant) return 0;
  const secrets = openTenant(service.tenants.roots, tenant);
  checkedHead(secrets, tenantId, head);
  const first = ((await findAnchor(tx, tenantId))?.id ?? 0) + 1;
  const old = (await firstEntrySince(tx, tenantId, before, { first, last: head.id })) - 1;
  // What is not counted yet stays until it is.
  const last = Math.min(old, first + atOnce - 1, await countedThrough(tx, tenantId));
  const entry = last >= first ? await entryAt(tx, tenantId, last) : undefined;
  if (!entry) return 0;
  const anchor = { id: last, hash: entry.hash, rows_digest: await rowsDigest(tx, tenant, last) };
  const mac = anchorMac(secrets.rowMac, anchorParts(tenantId, anchor));
  return purgeThrough(tx, tenantId, { ...anchor, mac });
}
