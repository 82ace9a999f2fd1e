// A request becomes a decision: which rows it rests on, and a function of them that says what is written and answered. The
// ledger (ledger.ts) finds the rows, judges all decisions that wait for a tenant, and appends what they write at once.
import type { Receipt } from '@eaas/protocol/wire';
import type { Secret } from '../crypto/secret.ts';
import type { SecretPlace } from '@eaas/protocol/internal';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import type { Draft } from '../rules/draft.ts';
import type { Refusal } from '../rules/refusal.ts';
import type { Found, Need, Query, Table, Write } from './table.ts';
import type { HeadRow, TenantRow } from './tables.ts';

/** A tenant as a decision sees it: at one time, in one state. */
export interface View {
  readonly tenant: TenantRow;
  readonly secrets: TenantSecrets;
  /** The row, or null if there is none. Throws Missing for a row that was not read yet: the ledger reads it, and judges again. */
  find<Row>(table: Table<Row>, ...id: readonly (string | number)[]): Row | null;
  /** The rows of a query. Throws Missing, as `find` does. */
  all<Row>(query: Query<Row>): Found<Row>;
  /** Opens a sealed secret of the tenant. Throws Tampered if it does not open. The caller must not wipe it. */
  open(place: SecretPlace, sealed: Uint8Array): Secret;
  /** The database's time: expiry, `destroy_at` and months are judged by it. */
  readonly now: number;
  /** The time of the entries, which is never before that of earlier ones. */
  readonly createdAt: number;
  /** The head as it was read, before all decisions that are judged with this one: for those that only read. */
  readonly head: Pick<HeadRow, 'id' | 'hash'>;
  /** The id of the decision's first entry. */
  readonly entryId: number;
  /** How many `encrypt` calls the month has had before this decision. */
  readonly encrypts: number;
}

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
