// Judges the decisions that wait for a tenant, in order, each on what those before it wrote, and builds the link of them all.
import { Refusal, Tampered } from '../rules/refusal.ts';
import type { SecretPlace } from '@eaas/protocol/internal';
import type { Secret } from '../crypto/secret.ts';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { type Decision, Missing, noReceipts, type Receipts, type Settled, type Verdict } from './decision.ts';
import type { Guess } from './guess.ts';
import { beginLink, type NewLink, type Writable } from './link.ts';
import { merged } from './query.ts';
import { type Link, LinkRefused, type SealedWrite } from './store.ts';
import {
  allOf,
  type Found,
  type Need,
  type Query,
  type Ref,
  refOf,
  refTo,
  type Table,
  type Write,
} from './table.ts';
import { type HeadRow, type TenantRow, tenants } from './tables.ts';

/** What came of a decision: with `needs`, it lacks rows that were not read, or something that was not prepared. */
export type Outcome = Settled | { readonly needs: readonly Need[] } | { readonly error: unknown };

/** A batch as it was judged on one guess. */
export interface Attempt<Waiting = unknown> {
  readonly batch: readonly Waiting[];
  /** Of the first decisions, as many as one link holds. */
  readonly outcomes: readonly Outcome[];
  /** Undefined if nothing is to be written. */
  readonly link: Link | undefined;
  readonly sum: bigint;
  readonly writes: ReadonlyMap<Ref, SealedWrite>;
}

/** Judges a batch of decisions at a time of the database. */
export function judgeAll<Waiting extends { readonly decision: Decision }>(
  guess: Guess,
  now: number,
  batch: readonly Waiting[],
): Attempt<Waiting> {
  const { head, secrets, ledger, sum } = guess;
  const link = beginLink(secrets, ledger.tables, head, Math.max(now, head.created_at), sum, guess.blocks);
  const quota = quotaOf(head, now);
  const view = new View(guess, now, quota, link);
  const outcomes: Outcome[] = [];
  for (const { decision } of batch) {
    if (link.isFull()) break;
    const settle = (verdict: Verdict): Receipts => {
      const receipts = write(link, view, decision, verdict);
      quota.encrypts += verdict.encrypts ?? 0;
      return receipts;
    };
    outcomes.push(judge(decision, view, settle));
  }
  const complete = link.size === 0 ? undefined : link.complete(quota, now);
  return { batch, outcomes, link: complete, sum: link.sum, writes: link.writes };
}

/** Judges a decision that writes nothing. */
export function judgeOnly(guess: Guess, now: number, decision: Decision): Outcome {
  return judge(decision, new View(guess, now), (verdict) => {
    if (verdict.entries.length > 0) throw new Error('a decision that only reads must write no entries');
    return noReceipts;
  });
}

function judge(decision: Decision, view: View, write: (verdict: Verdict) => Receipts): Outcome {
  try {
    const verdict = verdictOf(decision, view);
    return { answer: verdict.answer, receipts: write(verdict) };
  } catch (error) {
    if (error instanceof LinkRefused) throw error;
    return outcomeOf(error);
  }
}

/** What comes of a decision that threw an error: Missing never leaves the ledger. */
export const outcomeOf = (error: unknown): Outcome =>
  error instanceof Missing ? { needs: error.needs } : { error };

function verdictOf(decision: Decision, view: View): Verdict {
  try {
    return decision.judge(view);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
    const entry = error.entry?.(1);
    return { entries: entry ? [entry] : [], answer: error };
  }
}

/** Adds what a decision writes to the link. The rows before are found first, so that the link has all of it or nothing. */
function write(
  link: NewLink,
  view: View,
  { author, changes }: Decision,
  { entries, writes = [] }: Verdict,
): Receipts {
  if (entries.length === 0) return noReceipts;
  const writesOf = (receipts: Receipts) => (typeof writes === 'function' ? writes(receipts) : writes);
  const before = writesOf(noReceipts).map((one) => rowBefore(view, one));
  if (!changes && before.some(Boolean)) {
    throw new LinkRefused('a decision that replaces rows must say that it does');
  }
  const from = link.size;
  try {
    for (const draft of entries) link.add(author, draft);
    const receipts = link.receipts(from, entries.length);
    for (const [nth, one] of writesOf(receipts).entries()) link.write(one, before[nth] ?? null);
    return receipts;
  } catch (error) {
    throw new LinkRefused('a decision wrote what no link can hold', { cause: error });
  }
}

function rowBefore(view: View, { table, row, isNew }: Write): object | null {
  const [, ...id] = refOf(table, row as never).split(' ');
  return isNew ? null : view.find<object>(table as never, ...id);
}

/**
 * A tenant as a decision sees it: at one time, in one state, which is a guess and what the link writes. Without a link it is for
 * decisions that write nothing, and what comes before.
 */
export class View {
  /** The database's time: expiry, `destroy_at` and months are judged by it. */
  readonly now: number;
  /** The time of the entries, which is never before that of earlier ones. */
  readonly createdAt: number;
  readonly secrets: TenantSecrets;
  /** The head as it was read, before all decisions that are judged with this one: for those that only read. */
  readonly head: HeadRow;
  readonly #guess: Guess;
  readonly #quota: Quota;
  readonly #link: NewLink | undefined;

  constructor(guess: Guess, now: number, quota = quotaOf(guess.head, now), link?: NewLink) {
    this.now = now;
    this.createdAt = Math.max(now, guess.head.created_at);
    this.secrets = guess.secrets;
    this.head = guess.head;
    this.#guess = guess;
    this.#quota = quota;
    this.#link = link;
  }

  get tenant(): TenantRow {
    const written = this.#link?.writes.get(refTo(tenants, this.head.tenant_id))?.row;
    return (written as TenantRow | undefined) ?? this.#guess.tenant;
  }

  /** The id of the decision's first entry. */
  get entryId(): number {
    return this.#link?.nextId ?? this.head.id + 1;
  }

  /** How many `encrypt` calls the month has had before this decision. */
  get encrypts(): number {
    return this.#quota.encrypts;
  }

  /** The row, or null if there is none. Throws Missing for a row that was not read yet: the ledger reads it, and judges again. */
  find<Row>(table: Table<Row>, ...id: readonly (string | number)[]): Row | null {
    const ref = refTo(table, ...id);
    const row = this.#link?.writes.get(ref)?.row ?? this.#guess.row(ref);
    if (row === undefined) throw new Missing([ref]);
    return row as Row | null;
  }

  /** The rows of a query. Throws Missing, as `find` does. */
  all<Row>(query: Query<Row>): Found<Row> {
    const asked = allOf(query);
    const found = this.#guess.found(asked);
    const now = found && (this.#link ? merged(asked, found, this.#link.writes) : found);
    if (!now) throw new Missing([asked]);
    const tampered = now.rows.find((row) => row instanceof Tampered);
    if (tampered) throw tampered;
    return now as Found<Row>;
  }

  /** Opens a sealed secret of the tenant. Throws Tampered if it does not open. The caller must not wipe it. */
  open(place: SecretPlace, sealed: Uint8Array): Secret {
    return this.#guess.open(place, sealed);
  }
}

/** How many calls of a month count to the quota. */
type Quota = Writable<Pick<HeadRow, 'month' | 'encrypts'>>;

const aheadOfClock = 11_000;

/** A replica whose clock is ahead can begin a month too early. Others then stay in it, so that the count never begins again. */
function quotaOf({ month, encrypts }: HeadRow, now: number): Quota {
  const current = month === monthOf(now + aheadOfClock) ? month : monthOf(now);
  return { month: current, encrypts: current === month ? encrypts : 0 };
}

let known = { month: '', first: 0, end: 0 };

/** Returns the month of a time, as in 2026-11, in UTC. Remembers the last one, because every decision asks several times. */
export function monthOf(time: number): string {
  if (time < known.first || time >= known.end) {
    const date = new Date(time);
    const year = date.getUTCFullYear();
    const month = date.getUTCMonth();
    const first = Date.UTC(year, month);
    const end = Date.UTC(year, month + 1);
    known = { month: date.toISOString().slice(0, 7), first, end };
  }
  return known.month;
}
