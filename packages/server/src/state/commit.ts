// The append is the commit of a request: its entries are in the audit log before its result leaves the service. Requests of
// one tenant that wait together are committed by one append.
import { setTimeout as sleep } from 'node:timers/promises';
import { auditUnwritten, type Draft, finish, Refusal } from '@eaas/protocol/service';
import type { TurnOptions } from '../admission/turns.ts';
import type { Service } from '../app/service.ts';
import { tracedTogether } from '../base/tracing.ts';
import { appendLink, type Link, NotWritten } from '../store/append.ts';
import {
  isDatabaseError,
  isDatabaseFault,
  isDenied,
  isLockTimeout,
  isSubjectTaken,
} from '../store/faults.ts';
import { type HeadRow, lockHead } from '../store/heads.ts';
import type { Sql } from '../store/sql.ts';
import type { Caller } from './caller.ts';
import { chain, type Chained, draftBytes, newcomerOf, nextLink, statementLimits } from './chain.ts';
import { checkedHead } from './heads.ts';
import {
  type Outcome,
  Receipts,
  type Ruling,
  type TenantState,
  type TenantView,
  type Waiting,
} from './tenant-view.ts';
import type { Tenants } from './tenants.ts';

const fewConflicts = 2;
/** The entries of a few requests are chained at once, because they cost less than a turn. */
const chainedAtOnce = 32 * 1024;

interface Written {
  readonly outcome: 'written';
  readonly time: number | undefined;
  readonly chained: Chained;
  readonly links: number;
}

type Attempt = Written | { readonly outcome: 'moved' | 'clock'; readonly time?: number };

type NextLink = (turn: TurnOptions) => Link | Chained | Promise<Link | Chained>;

const inTransaction: TurnOptions = { isUrgent: true };
/**
 * The service has already processed these requests, so it never refuses their append, even after a long wait for CPU
 * time.
 */
const beforeTransaction: TurnOptions = { isBegun: true };

/** Writes the entries of a request to the log, or finds that the decision is out of date. */
export function commit(
  service: Service,
  view: TenantView,
  { actor, ipAddress, signal }: Caller,
  ruling: Pick<Ruling, 'state' | 'drafts' | 'validUntil' | 'isEncrypt' | 'span'>,
  deadline: number,
): Promise<Outcome> {
  const { state, drafts } = ruling;
  if (!view.stands(state)) return Promise.resolve('moved');
  const milliseconds = deadline - performance.now();
  if (milliseconds <= 0) throw auditUnwritten();
  const { counts } = service;
  counts.waiting += drafts.length;
  const afterwards = (): void => void (counts.waiting -= drafts.length);
  const bytes = drafts.reduce((sum, draft) => sum + draftBytes(draft), 0);
  const patience = { milliseconds, signal, giveUp: () => auditUnwritten(), afterwards };
  const outcome = view.room.wait({ ...ruling, bytes, actor, ipAddress }, patience);
  if (!view.isDraining) void drain(service, view);
  return outcome;
}

/** Appends the entries of the tenant's waiting requests, batch after batch, until nobody waits. */
async function drain(service: Service, view: TenantView): Promise<void> {
  view.isDraining = true;
  try {
    for (;;) {
      if (view.isChanging) await view.afterChange();
      const batch = takeBatch(view);
      if (batch.length === 0) break;
      const rulings = batch.map(({ wish }) => wish);
      await tracedTogether('audit.append.batch', rulings, (span) => {
        span?.setAttribute('eaas.requests', batch.length);
        span?.setAttribute(
          'eaas.entries',
          rulings.reduce((sum, { drafts }) => sum + drafts.length, 0),
        );
        return append(service, view, batch);
      });
    }
  } finally {
    view.isDraining = false;
  }
}

function takeBatch({ room }: TenantView): Waiting[] {
  let [entries, bytes] = [0, 0];
  return room.take((ruling) => {
    const isFirst = entries === 0;
    entries += ruling.drafts.length;
    bytes += ruling.bytes;
    return isFirst || (entries <= statementLimits.entries && bytes <= statementLimits.bytes);
  });
}

async function append(service: Service, view: TenantView, batch: readonly Waiting[]): Promise<void> {
  const { counts, clock } = service;
  const startedAt = performance.now();
  try {
    const attemptOnce = view.conflicts < fewConflicts ? attemptAtOnce : attemptLocked;
    const attempt = await attemptOnce(service, view, batch);
    if (attempt.time !== undefined) clock.learn(attempt.time, startedAt);
    if (attempt.outcome === 'written') return release(service, view, attempt, startedAt);
    if (attempt.outcome === 'clock') return settle(batch, 'moved');
    counts.conflicts++;
    view.conflicts++;
  } catch (error) {
    if (isSubjectTaken(error)) return judgeNewcomersAgain(view, batch);
    noteUnwritten(service, error);
    if (!isDatabaseFault(error)) return batch.forEach((waiting) => waiting.fail(auditUnwritten(error)));
    await sleep(50);
  }
  // After a database fault, the service cannot know whether the batch was written, so the batch is written again. The
  // log can then contain an entry twice, but every response has an entry.
  view.room.putBack(batch);
  await catchUp(view);
}

/** Counts and logs why entries could not be written. */
export function noteUnwritten({ counts, alarms }: Service, error: unknown): void {
  counts.failures++;
  alarms.unwritten(error);
  // A lock timeout, a violated constraint or a changed row can concern only one tenant. Such errors do not make the replica
  // unready.
  const isOfDatabase = isDatabaseError(error) && !isDatabaseFault(error);
  const canBeOfOne = isLockTimeout(error) || error instanceof Refusal || (isOfDatabase && !isDenied(error));
  if (!canBeOfOne) counts.failedAt = performance.now();
}

/**
 * Another replica has created a subject of the batch first, and nothing was written. The requests that create subjects are
 * decided again, with the rows, and the others are chained again as they are.
 */
function judgeNewcomersAgain({ room }: TenantView, batch: readonly Waiting[]): void {
  const creates = ({ wish }: Waiting): boolean => wish.drafts.some(newcomerOf);
  for (const { wish } of batch) {
    for (const newcomer of wish.drafts.map(newcomerOf)) if (newcomer) wish.state.newcomers.doubt(newcomer);
  }
  settle(batch.filter(creates), 'moved');
  room.putBack(batch.filter((waiting) => !creates(waiting)));
}

function release(
  { counts, tenants }: Service,
  view: TenantView,
  { chained, links, time }: Written,
  startedAt: number,
): void {
  const { head, hashes, chosen, overQuota } = chained;
  if (time !== undefined) {
    counts.appends += links;
    counts.failedAt = null;
    for (const { wish } of chosen) {
      const { drafts } = wish;
      counts.entries += drafts.length;
      counts.tallies.add(view.unwraps, drafts, time);
      for (const draft of drafts) admit(tenants, wish.state, draft);
    }
    view.conflicts = 0;
    tenants.advanced(view, head, startedAt, time);
  }
  let start = 0;
  for (const waiting of chosen) {
    waiting.settle(new Receipts(head.id - hashes.length, hashes, start));
    start += waiting.wish.drafts.length;
  }
  settle(overQuota, 'over_quota');
}

/** A newcomer whose row was written is known from now on. */
function admit({ remembered }: Tenants, state: TenantState, draft: Draft): void {
  const newcomer = newcomerOf(draft);
  if (!newcomer) return;
  newcomer.state = 'known';
  remembered.keepSubject(state, newcomer);
}

function settle(batch: readonly Waiting[], outcome: Outcome): void {
  for (const waiting of batch) waiting.settle(outcome);
}

async function attemptAtOnce(
  service: Service,
  view: TenantView,
  batch: readonly Waiting[],
): Promise<Attempt> {
  const { database, clock } = service;
  const now = clock.now();
  const next = chainFrom(service, view, view.head, batch, now);
  // The first statement is prepared before a connection is taken, so that the connection is used for a shorter time.
  const coming = next(beforeTransaction);
  const first = coming instanceof Promise ? await coming : coming;
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
    const next = chainFrom(service, view, head, batch, now);
    return appendLinks(tx, now, next, await next(inTransaction));
  }, 3_000);
}

/**
 * Returns the function that builds the next link of the batch. Requests whose decision is out of date at the time `now`
 * of the entries leave the batch, to be decided again.
 */
function chainFrom(
  { admission }: Service,
  { state }: TenantView,
  head: HeadRow,
  batch: readonly Waiting[],
  now: number,
): NextLink {
  const isCurrent = ({ wish }: Waiting): boolean =>
    wish.state === state && (wish.validUntil === null || now < wish.validUntil);
  settle(
    batch.filter((waiting) => !isCurrent(waiting)),
    'moved',
  );
  const links = chain(state, head, batch, now);
  const bytes = batch.reduce((sum, { wish }) => sum + wish.bytes, 0);
  if (bytes <= chainedAtOnce) return () => finish(nextLink(links));
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
async function catchUp(view: TenantView): Promise<void> {
  try {
    await view.confirm(performance.now());
    if (!view.gone) return;
    settle(
      view.room.take(() => true),
      'moved',
    );
  } catch {
    // If the database cannot be read, the requests stay in the queue, and each request fails at its own deadline.
    await sleep(100);
  }
}
