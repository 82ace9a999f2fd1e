// A request becomes a decision: which rows it rests on, and a function of them that says what is written and answered. The
// ledger (ledger.ts) finds the rows, judges all decisions that wait for a tenant, and appends what they write at once.
import type { Receipt } from '@eaas/protocol/wire';
import type { Draft } from '../rules/draft.ts';
import type { Refusal } from '../rules/refusal.ts';
import type { Need, Write } from './table.ts';
import type { View } from './judge.ts';

export type { View };

/** Who acts, as entries name them. */
export interface Author {
  /** The id of an API key or an issuer, `operator` or `system`. */
  readonly actor: string;
  readonly ipAddress: string | null;
}

/**
 * Judges rows. `judge` is pure and quick, because it runs again whenever the rows have changed. What takes longer, or waits,
 * is in `prepare`, which runs before: `judge` throws Missing for what is not there.
 */
export interface Decision<Answer = unknown> {
  readonly author: Author;
  /** Whether it can replace rows. It is judged under the lock, on rows that are read there: one that somebody altered is evidence. */
  readonly changes?: true | undefined;
  /** The rows that `judge` will ask for, as far as they can be named before. */
  needs(view: Pick<View, 'tenant' | 'secrets' | 'find' | 'now'>): readonly Need[];
  prepare?(view: View): Promise<void>;
  judge(view: View): Verdict<Answer>;
}

/** What a decision writes and answers. What is a function of the receipts is made when the entries have ids and hashes. */
export interface Verdict<Answer = unknown> {
  readonly entries: readonly Draft[];
  readonly writes?: readonly Write[] | ((receipts: Receipts) => readonly Write[]);
  /** How many `encrypt` calls it counts. */
  readonly encrypts?: number;
  readonly answer: Answer | Refusal | ((receipts: Receipts) => Answer);
}

/** The places in the log of a decision's entries. */
export interface Receipts {
  readonly count: number;
  of(nth: number): Receipt;
  /** The hash of an entry as bytes. */
  hashOf(nth: number): Uint8Array;
}

/** The answer of a decision whose entries are written, or the refusal that they record. */
export interface Settled<Answer = unknown> {
  readonly answer: Answer;
  readonly receipts: Receipts;
}

/** The receipt of an answer that has one. */
export const receiptIn = (receipts: Receipts): Receipt | undefined =>
  receipts.count > 0 ? receipts.of(0) : undefined;

export const noReceipts: Receipts = {
  count: 0,
  of: () => ({ id: 0, hash: '' }),
  hashOf: () => new Uint8Array(32),
};

/** Thrown by a view for rows that were not read yet, and by `judge`, without needs, for what only `prepare` can compute. */
export class Missing extends Error {
  override readonly name = 'Missing';
  readonly needs: readonly Need[];
  constructor(needs: readonly Need[] = [], message = 'the decision needs rows that were not read') {
    super(message);
    this.needs = needs;
  }
}

/** What `prepare` has computed for `judge`. Throws Missing until it has. */
export function prepared<T>(value: T | undefined): T {
  if (value === undefined) throw new Missing([], 'what the decision needs was not prepared');
  return value;
}
