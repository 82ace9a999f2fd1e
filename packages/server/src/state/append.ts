import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnOptions } from '../admission/turns.ts';
import { Closed } from '../base/refusal.ts';
import type { Service } from '../app/service.ts';
import { appendLink, type Link, NotWritten } from '../store/append.ts';
import { isDatabaseError, isDatabaseFault, isDenied, isLockTimeout } from '../store/faults.ts';
import { type HeadRow, lockHead } from '../store/heads.ts';
import type { Sql } from '../store/sql.ts';
import { tracedTogether } from '../base/tracing.ts';
import { chain, type Chained, nextLink, statementLimits } from './chain.ts';
import { checkedHead } from './heads.ts';
import type { Waiting } from './queue.ts';
import type { TenantView } from './tenant-view.ts';
import type { Tenants } from './tenants.ts';

const fewConflicts = 2;

interface Written {
  readonly outcome: 'written';
  readonly time: number | undefined;
  readonly chained: Chained;
  readonly links: number;
}

type Attempt = Written | { readonly outcome: 'moved' | 'clock'; readonly time?: number };

type NextLink = (turn: TurnOptions) => Promise<Link | Chained>;

const inTransaction: TurnOptions = { isUrgent: true };
/**
 * The service has already processed these requests, so it never refuses their append, even after a long wait for CPU
 * time.
 */
const beforeTransaction: TurnOptions = { isBegun: true };

/**
 * Appends the entries of waiting requests to a tenant's audit log. The head advances by compare-and-set, so an append
 * fails if another replica has appended or the tenant has changed.
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
      await tracedTogether('audit.append.batch', batch, async (span) => {
        span?.setAttribute('eaas.requests', batch.length);
        span?.setAttribute('eaas.entries', entriesOf(batch));
        await append(service, view, batch);
      });
    }
  } finally {
    queue.draining = false;
  }
}

const entriesOf = (batch: readonly Waiting[]): number =>
  batch.reduce((sum, { drafts }) => sum + drafts.length, 0);

async function append(service: Service, view: TenantView, batch: readonly Waiting[]): Promise<void> {
  const { counts, clock } = service;
  const startedAt = performance.now();
  try {
    const attemptOnce = view.conflicts < fewConflicts ? attemptAtOnce : attemptLocked;
    const attempt = await attemptOnce(service, view, batch);
    if (attempt.time !== undefined) clock.learn(attempt.time, startedAt);
    if (attempt.outcome === 'written') return release(service, view, attempt, startedAt);
    if (attempt.outcome === 'clock') return batch.forEach((item) => item.settle('moved'));
    counts.conflicts++;
    view.conflicts++;
  } catch (error) {
    const isFault = isDatabaseFault(error);
    if (isFault || isDatabaseError(error)) {
      counts.failures++;
      service.alarms.unwritten(error);
    }
    // A lock timeout or a violated constraint can concern only one tenant. Such errors do not make the replica unready.
    if ((isFault && !isLockTimeout(error)) || isDenied(error)) counts.failedAt = performance.now();
    if (!isFault) return batch.forEach((item) => item.fail(error));
    await sleep(50);
  }
  // After a database fault, the service cannot know whether the batch was written, so the batch is written again. The
  // log can then contain an entry twice, but every response has an entry.
  view.queue.putBack(batch);
  await catchUp(service.tenants, view);
}

function release(
  { counts, tenants }: Service,
  view: TenantView,
  { chained, links, time }: Written,
  startedAt: number,
): void {
  const { head, chosen, overQuota } = chained;
  if (time !== undefined) {
    counts.appends += links;
    counts.failedAt = null;
    for (const { drafts } of chosen) {
      counts.entries += drafts.length;
      counts.tallies.add(view.unwraps, drafts, time);
    }
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
  const { database, clock } = service;
  const now = clock.now();
  const next = chainInTurns(service, view, view.head, batch, now);
  // The first statement is prepared before a connection is taken, so that the connection is used for a shorter time.
  const first = await next(beforeTransaction);
  // Several statements need a transaction, so that PostgreSQL writes all entries of the batch or none.
  return isChained(first)
    ? database.run((sql) => appendLinks(sql, now, next, first), 2_500)
    : database.transaction((tx) => appendLinks(tx, now, next, first), 3_000);
}

/** PostgreSQL grants locks in the order of the requests, so every waiting replica gets the lock. */
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
    const now = service.clock.now();
    const next = chainInTurns(service, view, head, batch, now);
    return appendLinks(tx, now, next, await next(inTransaction));
  }, 3_000);
}

function chainInTurns(
  { admission }: Service,
  { state }: TenantView,
  head: HeadRow,
  batch: readonly Waiting[],
  now: number,
): NextLink {
  const links = chain(state, head, batch, now);
  return (turn) => admission.turns.run(state.tenant.tenant_id, nextLink(links), turn);
}

const isChained = (piece: Link | Chained): piece is Chained => 'lastLink' in piece;

/** Each statement is prepared after the previous statement has run, so that the batch needs less memory. */
async function appendLinks(sql: Sql, now: number, next: NextLink, first: Link | Chained): Promise<Attempt> {
  let time: number | undefined;
  for (let [piece, links] = [first, 0]; ; piece = await next(inTransaction)) {
    const link = isChained(piece) ? piece.lastLink : piece;
    if (link) {
      const appended = await appendLink(sql, link.expected.tenant_id, link, now);
      const { outcome } = appended;
      if (outcome !== 'written') {
        if (links === 0) return { outcome, time: appended.time };
        // The error makes PostgreSQL roll back the audit entries that this transaction has already written.
        throw new NotWritten(outcome);
      }
      ({ time } = appended);
      links++;
    }
    if (isChained(piece)) return { outcome: 'written', time, chained: piece, links };
  }
}

/**
 * Reads the head of the log again, and the tenant only if the tenant has changed. If replicas read both after each
 * append of another replica, they would lose up to half of their throughput.
 */
async function catchUp(tenants: Tenants, view: TenantView): Promise<void> {
  try {
    const { tenant_id: tenantId } = view.state.tenant;
    await view.confirm(performance.now()).catch((error: unknown) => {
      if (!(error instanceof Closed)) throw error;
      // `Closed` means that another database serves the tenant. The waiting requests then look up the tenant again, and
      // this lookup refuses them.
      tenants.forget(tenantId);
    });
    if (!view.gone) return;
    const { waiting } = view.queue;
    view.queue.waiting = [];
    for (const item of waiting) item.settle('moved');
  } catch {
    // If the database cannot be read, the requests stay in the queue, and each request fails at its own deadline.
    await sleep(100);
  }
}
