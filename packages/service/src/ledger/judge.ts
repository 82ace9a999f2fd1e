// Judges the decisions that wait for a tenant, in order, each on what those before it wrote, and builds the link of them all.
import { Refusal } from '../rules/refusal.ts';
import { type Decision, Missing, noReceipts, type Receipts, type Settled, type Verdict } from './decision.ts';
import type { Guess } from './guess.ts';
import { beginLink, type NewLink } from './link.ts';
import { type Link, LinkRefused, type SealedWrite } from './store.ts';
import { type Need, type Ref, refOf, type Write } from './table.ts';
import { quotaOf, View } from './view.ts';

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
  if (!changes && before.some(Boolean))
    throw new LinkRefused('a decision that replaces rows must say that it does');
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
