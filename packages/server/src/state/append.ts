import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../service.ts';
import { appendEntries } from '../store/audit-entries.ts';
import { isDatabaseFault } from '../store/faults.ts';
import { lockHead } from '../store/heads.ts';
import { chain, type Link } from './chain.ts';
import { checkedHead } from './integrity.ts';
import type { Waiting } from './queue.ts';
import type { Tenants, TenantView } from './tenants.ts';

const mostEntries = 2_000;
/** So many conflicts one after the other, and the next append waits for its turn. */
const fewConflicts = 2;

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
  const startedAt = performance.now();
  let written: Link | null | undefined;
  try {
    const way = view.conflicts < fewConflicts ? atOnce : inTurn;
    written = await way(service, view, batch);
  } catch (error) {
    if (!isDatabaseFault(error)) {
      for (const item of batch) item.fail(error);
      return;
    }
  }
  if (written?.entries.length === 0) return;
  if (written) {
    counts.appends++;
    counts.failedAt = null;
    counts.entries += written.entries.length;
    view.conflicts = 0;
    tenants.advanced(view, written.next, startedAt);
    for (const item of written.chosen) item.settle('written');
    return;
  }
  // Undefined: whether it was written is not known. It is written again before anything is answered, so the log may
  // say more than was answered, never less.
  view.queue.putBack(batch);
  if (written === undefined) {
    counts.failures++;
    counts.failedAt = performance.now();
    await sleep(50);
  } else {
    counts.conflicts++;
    view.conflicts++;
  }
  await catchUp(tenants, view);
}

/** One statement, on the head as it was last seen. Null: the head has moved, and nothing was written. */
async function atOnce(
  { database, clock }: Service,
  { state, head }: TenantView,
  batch: readonly Waiting[],
): Promise<Link | null> {
  const link = chain(state, head, batch, clock());
  if (link.entries.length === 0) return link;
  const { tenant_id: tenantId } = state.tenant;
  const written = await database.run(
    (sql) => appendEntries(sql, tenantId, head, link.next, link.entries),
    2_500,
  );
  return written ? link : null;
}

/**
 * The same on the head as it is, under its lock. PostgreSQL grants the lock in turn, so that a replica with long appends
 * is not outrun for ever by one with short ones.
 */
async function inTurn(
  { database, clock }: Service,
  { state }: TenantView,
  batch: readonly Waiting[],
): Promise<Link | null> {
  const { tenant_id: tenantId } = state.tenant;
  return database.transaction(async (tx) => {
    const row = await lockHead(tx, tenantId);
    if (row?.state_id !== state.stateId) return null;
    const head = checkedHead(state.secrets, tenantId, row);
    const link = chain(state, head, batch, clock());
    if (link.entries.length === 0) return link;
    return (await appendEntries(tx, tenantId, head, link.next, link.entries)) ? link : null;
  }, 3_000);
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
