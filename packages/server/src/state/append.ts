import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../service.ts';
import { type Appended, appendLink } from '../store/append.ts';
import { isDatabaseFault } from '../store/faults.ts';
import { type HeadRow, lockHead } from '../store/heads.ts';
import type { Sql } from '../store/sql.ts';
import { chain, type Chained, statementLimits } from './chain.ts';
import { checkedHead } from './integrity.ts';
import type { Waiting } from './queue.ts';
import type { TenantView } from './tenant-view.ts';
import type { Tenants } from './tenants.ts';

/** After this many consecutive conflicts, the next append locks the head first. */
const fewConflicts = 2;

interface Attempt {
  readonly outcome: Appended['outcome'];
  /** The database's time. Absent if there was nothing to write or the head has another state. */
  readonly time?: number;
  /** Absent if the head has another state. */
  readonly chained?: Chained;
}

/**
 * Appends the requests that wait for a tenant's chain, one batch at a time. While a batch is being written, new requests
 * collect in the next batch. The head advances by compare-and-set, so an append fails if another replica has appended or the
 * state has changed. Requests that were decided by an old state are decided again.
 */
export async function drain(service: Service, view: TenantView): Promise<void> {
  const { queue } = view;
  if (queue.draining) return;
  queue.draining = true;
  try {
    for (;;) {
      if (queue.isChanging) await queue.afterChange();
      const batch = queue.take(statementLimits);
      if (batch.length === 0) break;
      await append(service, view, batch);
    }
  } finally {
    queue.draining = false;
  }
}

async function append(service: Service, view: TenantView, batch: readonly Waiting[]): Promise<void> {
  const { counts, clock } = service;
  const startedAt = performance.now();
  try {
    const attemptOnce = view.conflicts < fewConflicts ? attemptAtOnce : attemptLocked;
    const { outcome, time, chained } = await attemptOnce(service, view, batch);
    if (time !== undefined) clock.learn(time, startedAt);
    if (outcome === 'written' && chained) return release(service, view, chained, startedAt, time);
    if (outcome === 'clock') return batch.forEach((item) => item.settle('moved'));
    counts.conflicts++;
    view.conflicts++;
  } catch (error) {
    if (!isDatabaseFault(error)) return batch.forEach((item) => item.fail(error));
    counts.failures++;
    counts.failedAt = performance.now();
    await sleep(50);
  }
  // After a fault it is unknown whether the batch was written. The batch is written again before any result is released. So
  // the log can contain entries whose results were not released, but no released result lacks its entry.
  view.queue.putBack(batch);
  await catchUp(service.tenants, view);
}

/** Settles the requests of a written batch with their outcomes. */
function release(
  { counts, tenants }: Service,
  view: TenantView,
  { links, head, chosen, overQuota }: Chained,
  startedAt: number,
  time?: number,
): void {
  if (time !== undefined) {
    counts.appends += links.length;
    counts.failedAt = null;
    for (const { entries } of links) counts.entries += entries.length;
    view.conflicts = 0;
    tenants.advanced(view, head, startedAt, time);
  }
  for (const item of chosen) item.settle('written');
  for (const item of overQuota) item.settle('over_quota');
}

async function attemptAtOnce(
  service: Service,
  view: TenantView,
  batch: readonly Waiting[],
): Promise<Attempt> {
  const { database } = service;
  const chained = await chainInTurn(service, view, view.head, batch);
  // A single statement is atomic. Several statements need a transaction, so that all entries are written or none.
  return chained.links.length > 1
    ? database.transaction((tx) => appendLinks(tx, chained), 3_000)
    : database.run((sql) => appendLinks(sql, chained), 2_500);
}

/** Locks the head and appends to it. No replica starves, because PostgreSQL grants locks in order. */
async function attemptLocked(
  service: Service,
  view: TenantView,
  batch: readonly Waiting[],
): Promise<Attempt> {
  const { state } = view;
  const { tenant_id: tenantId } = state.tenant;
  return service.database.transaction(async (tx) => {
    const row = await service.tenants.seeHead(tx, tenantId, lockHead);
    if (!row || !state.isNamed(row)) return { outcome: 'moved' };
    const head = checkedHead(state.secrets, tenantId, row);
    return appendLinks(tx, await chainInTurn(service, view, head, batch));
  }, 3_000);
}

function chainInTurn(
  { admission, clock }: Service,
  { state }: TenantView,
  head: HeadRow,
  batch: readonly Waiting[],
): Promise<Chained> {
  const steps = chain(state, head, batch, clock.now());
  return admission.turns.run(state.tenant.tenant_id, steps, { isBegun: true });
}

async function appendLinks(sql: Sql, chained: Chained): Promise<Attempt> {
  let attempt: Attempt = { outcome: 'written', chained };
  for (const link of chained.links) {
    const { outcome, time } = await appendLink(sql, chained.head.tenant_id, link, chained.now);
    if (outcome !== 'written' && attempt.time !== undefined) {
      // This error rolls back the links that this transaction has written.
      throw new Error(`expected the outcome written under the lock of the head (got ${outcome})`);
    }
    attempt = { outcome, time, chained };
    if (outcome !== 'written') break;
  }
  return attempt;
}

/** Reads the head again. If the tenant has another view now, the waiting requests must look the tenant up again. */
async function catchUp(tenants: Tenants, view: TenantView): Promise<void> {
  try {
    const current = await tenants.reload(view.state.tenant.tenant_id);
    if (current === view && !view.gone) return;
    const { waiting } = view.queue;
    view.queue.waiting = [];
    for (const item of waiting) item.settle('moved');
  } catch {
    // The database cannot be reached. Each request fails at its own deadline.
    await sleep(100);
  }
}
