// A tenant as decisions see it, and the month by which its quota is counted.
import type { SecretPlace } from '@eaas/protocol/internal';
import type { Secret } from '../crypto/secret.ts';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { Tampered } from '../rules/refusal.ts';
import { Missing } from './decision.ts';
import type { Guess } from './guess.ts';
import type { NewLink } from './link.ts';
import { merged } from './query.ts';
import { allOf, type Found, type Query, refTo, type Table } from './table.ts';
import { type HeadRow, type TenantRow, tenants } from './tables.ts';

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
export interface Quota {
  readonly month: string;
  encrypts: number;
}

const aheadOfClock = 11_000;

/** A replica whose clock is ahead can begin a month too early. Others then stay in it, so that the count never begins again. */
export function quotaOf({ month, encrypts }: HeadRow, now: number): Quota {
  const current = month === monthOf(now + aheadOfClock) ? month : monthOf(now);
  return { month: current, encrypts: current === month ? encrypts : 0 };
}

let known = { month: '', first: 0, end: 0 };

/** Returns the month of a time, as in 2026-11, in UTC. Remembers the last one, because every decision asks several times. */
export function monthOf(time: number): string {
  if (time < known.first || time >= known.end) {
    const date = new Date(time);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    const [first, end] = [Date.UTC(year, month), Date.UTC(year, month + 1)];
    known = { month: date.toISOString().slice(0, 7), first, end };
  }
  return known.month;
}
