import { setTimeout as sleep } from 'node:timers/promises';
import { chainEntry } from '../crypto/audit-mac.ts';
import { appendEntries, type ChainedRow } from '../store/audit-entries.ts';
import type { HeadRow } from '../store/heads.ts';
import { isPermanent } from '../store/faults.ts';
import type { Service } from '../service.ts';
import { sealHead } from './integrity.ts';
import type { Waiting } from './queue.ts';
import { monthOf } from './time.ts';
import type { Tenants, TenantView } from './tenants.ts';

const mostEntries = 2_000;

/**
 * Appends what waits for a tenant's chain, all of it in one statement at a time: while one is on its way, the next
 * fills up. The head advances by compare-and-set, so that another replica's append, or a change of state, is never
 * overlooked; what was judged by a state that has moved goes back to be judged again.
 */
export async function drain(service: Service, view: TenantView): Promise<void> {
  const { queue } = view;
  if (queue.draining) return;
  queue.draining = true;
  try {
    for (let batch = queue.take(mostEntries); batch.length > 0; batch = queue.take(mostEntries)) {
      await append(service, view, batch);
    }
  } finally {
    queue.draining = false;
  }
}

async function append(service: Service, view: TenantView, batch: readonly Waiting[]): Promise<void> {
  const { tenants, counts } = service;
  const { head: expected, state } = view;
  const { tenant_id: tenantId } = state.tenant;
  const { entries, next, chosen } = chain(view, batch, Math.max(service.clock(), expected.created_at));
  if (entries.length === 0) return;
  const startedAt = performance.now();
  let written: boolean | undefined;
  try {
    written = await tenants.database.run(
      (sql) => appendEntries(sql, tenantId, expected, next, entries),
      2_500,
    );
  } catch (error) {
    if (isPermanent(error)) {
      for (const item of chosen) item.fail(error);
      return;
    }
  }
  if (written) {
    counts.appends++;
    counts.entries += entries.length;
    tenants.advanced(view, next, startedAt);
    for (const item of chosen) item.settle('written');
    return;
  }
  // Undefined: whether it was written is not known. It is written again before anything is answered, so the log may
  // say more than was answered, never less.
  view.queue.putBack(chosen);
  if (written === undefined) {
    counts.failures++;
    await sleep(50);
  } else counts.conflicts++;
  await catchUp(tenants, view);
}

/** Reads the head anew. Where the view is no longer the tenant's, all who wait look the tenant up again. */
async function catchUp(tenants: Tenants, view: TenantView): Promise<void> {
  try {
    const current = await tenants.reload(view.state.tenant.tenant_id);
    if (current === view && !view.gone) return;
    for (const item of view.queue.take(Number.POSITIVE_INFINITY)) item.settle('moved');
  } catch {
    // The database is away. Those who wait leave when their time is up.
    await sleep(100);
  }
}

/** Gives each entry its place, and settles at once what cannot be written as it was judged. */
function chain(
  view: TenantView,
  batch: readonly Waiting[],
  time: number,
): { entries: ChainedRow[]; next: HeadRow; chosen: Waiting[] } {
  const { head, state } = view;
  const { tenant_id: tenantId, monthly_encrypt_quota: quota } = state.tenant;
  const month = monthOf(time);
  let encrypts = head.month === month ? head.encrypts : 0;
  let { id, hash } = head;
  const entries: ChainedRow[] = [];
  const chosen: Waiting[] = [];
  for (const item of batch) {
    if (item.state !== state || (item.validUntil !== null && time >= item.validUntil)) {
      item.settle('moved');
      continue;
    }
    if (item.isEncrypt && quota !== null && encrypts >= quota) {
      item.settle('over_quota');
      continue;
    }
    if (item.isEncrypt) encrypts++;
    chosen.push(item);
    for (const draft of item.drafts) {
      const entry = {
        tenant_id: tenantId,
        id: ++id,
        action: draft.action,
        key_id: draft.keyId,
        key_version: draft.keyVersion,
        actor: item.actor,
        ip_address: item.ipAddress,
        metadata: draft.metadata,
        created_at: time,
      };
      const link = chainEntry(state.secrets.auditMac, hash, entry);
      hash = link.hash;
      entries.push({ ...entry, ...link });
    }
  }
  const next = { id, hash, state_id: state.stateId, created_at: time, month, encrypts };
  return { entries, next: sealHead(state.secrets, tenantId, next), chosen };
}
