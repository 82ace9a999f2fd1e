// The one way to change a tenant, and to read it: a request becomes a decision, decisions wait for their tenant, and one append
// commits them. See docs/design/ledger.md. What is read is in place.ts, what is judged in judge.ts, what is written in queue.ts.
import { toBase64 } from '@eaas/protocol/base64';
import type { SecretPlace } from '@eaas/protocol/internal-sealing';
import { openMaterial } from '#platform';
import type { Secret } from '../crypto/secret.ts';
import type { EndSignal } from '../operation.ts';
import { Refusal } from '../rules/refusal.ts';
import { type Clock, StoreClock } from './clock.ts';
import type { Decided, Decision } from './decision.ts';
import type { Guess, Trust } from './guess.ts';
import { type Court, judgeAll, judgeOnly, needsOf, type Outcome, readOnlyView } from './judge.ts';
import { type Ground, Place, textOf } from './place.ts';
import { Queue, type QueueListener } from './queue.ts';
import { Remembered } from './remembered.ts';
import { Tampered } from './rows.ts';
import type { Store, StoreAtOnce } from './store.ts';
import { type Need, refTo } from './table.ts';
import { tenants } from './tables.ts';

/** How a decision waits. */
export interface Patience {
  readonly signal?: EndSignal | undefined;
  /** Judges under the lock of the head, with the time that its transaction reads: for jobs that erase or rotate. */
  readonly isLocked?: boolean;
}

/** What the ledger tells whoever runs it. */
export interface LedgerListener extends Omit<QueueListener, 'waits'> {
  /** The store could not be read, or a request failed unexpectedly. */
  failed(error: unknown, tenantId: string): void;
  /** The log is shorter than it was: a restore, or a failover that lost data. */
  wentBack(tenantId: string): void;
}

/** A tenant with those who wait for it. */
interface Seat {
  readonly place: Place;
  readonly queue: Queue;
}

/** How often a decision is judged again for rows that were not read. A row can go again while another is read. */
const mostRounds = 8;
const mostTenants = 2_000;
const [mostSecrets, rememberedFor] = [20_000, 600_000];

export class Ledger {
  /** How many decisions wait until they are judged and what they write is committed. */
  waiting = 0;
  readonly clock: Clock;
  readonly #ground: Ground;
  readonly #listener: QueueListener;
  readonly #patience: number;
  readonly #court: Court;
  readonly #seats = new Remembered<Seat>(mostTenants);
  readonly #secrets = new Remembered<Secret>(mostSecrets, rememberedFor);

  /** `patience`: for how long a decision waits for its append, in milliseconds. */
  constructor(
    store: Store,
    trust: Trust,
    listener: LedgerListener,
    patience: number,
    clock: Clock = new StoreClock(),
  ) {
    this.clock = clock;
    this.#patience = patience;
    const failed: Ground['failed'] = (error, tenantId) => listener.failed(error, tenantId);
    const wentBack: Ground['wentBack'] = (tenantId) => listener.wentBack(tenantId);
    this.#ground = { store, trust, clock, failed, wentBack };
    this.#listener = {
      appended: (tenantId, link) => listener.appended(tenantId, link),
      unwritten: (error, tenantId) => listener.unwritten(error, tenantId),
      moved: () => listener.moved(),
      waits: (change) => {
        this.waiting += change;
      },
    };
    this.#court = { tables: trust.tables, open: (...all) => this.#open(...all) };
  }

  /** Judges a decision that may write. Its answer is there when its entries are committed. */
  decide<Answer>(
    tenantId: string,
    decision: Decision<Answer>,
    { signal, isLocked = false }: Patience = {},
  ): Promise<Decided<Answer>> {
    const deadline = performance.now() + this.#patience;
    const { place, queue } = this.#seatOf(tenantId);
    return settled(async (needs) => {
      if (!place.guess) await place.read(needs);
      const missing = this.#missing(place, decision, needs);
      if (missing.length > 0) await place.read(missing);
      await decision.prepare?.(this.#viewOf(place.known));
      return queue.wait(decision, isLocked, deadline, signal);
    });
  }

  /** Judges a decision that writes nothing, in a state that the tenant had after the call. */
  confirm<Answer>(tenantId: string, decision: Decision<Answer>): Promise<Decided<Answer>> {
    const { place } = this.#seatOf(tenantId);
    return settled(async (needs) => {
      await place.read(place.guess ? this.#missing(place, decision, needs) : needs);
      const guess = place.known;
      await decision.prepare?.(this.#viewOf(guess));
      return judgeOnly(this.#court, guess, this.clock.now(), decision);
    });
  }

  /** Judges a decision that writes nothing by what is remembered, or returns undefined if that is not enough. */
  glance<Answer>(tenantId: string, decision: Decision<Answer>): Decided<Answer> | undefined {
    const { guess } = this.#seatOf(tenantId).place;
    const outcome = guess && judgeOnly(this.#court, guess, this.clock.now(), decision);
    return outcome?.is === 'judged' ? decided(outcome) : undefined;
  }

  /** Judges a decision that writes nothing on one snapshot, which has all that it needs. */
  look<Answer>(tenantId: string, decision: Decision<Answer>, checksHead = true): Promise<Decided<Answer>> {
    const { place } = this.#seatOf(tenantId);
    const needs = new Map<string, Need>([['tenant', refTo(tenants, tenantId)]]);
    const ask = (all: readonly Need[]): void => all.forEach((need) => needs.set(textOf(need), need));
    if (place.guess) ask(needsOf(decision, this.#viewOf(place.guess)));
    return settled(async (missing): Promise<Outcome> => {
      ask(missing);
      const asked = [...needs.values()];
      const known = await place.readFrom(asked);
      const guess = place.guessFrom(known, asked, checksHead);
      const view = readOnlyView(this.#court, guess, known.time);
      ask(needsOf(decision, view));
      if (needs.size > asked.length) return { is: 'again', needs: [] };
      await decision.prepare?.(view);
      return judgeOnly(this.#court, guess, known.time, decision);
    });
  }

  /** Decides at once, where the store can. Nothing can be prepared for such a decision. */
  decideAtOnce<Answer>(tenantId: string, decision: Decision<Answer>, store: StoreAtOnce): Decided<Answer> {
    const { place } = this.#seatOf(tenantId);
    const needs = new Map<string, Need>([['tenant', refTo(tenants, tenantId)]]);
    for (let round = 0; round < mostRounds; round++) {
      const asked = [...needs.values()];
      const known = store.read(tenantId, asked);
      const guess = place.guessFrom(known, asked);
      const { outcomes, link } = judgeAll(this.#court, guess, known.time, [decision]);
      const [outcome] = outcomes;
      if (outcome?.is === 'failed') throw outcome.error;
      if (outcome?.is === 'again') for (const need of outcome.needs) needs.set(textOf(need), need);
      else if (outcome && (!link || store.append(tenantId, link).outcome === 'written')) {
        place.guess = undefined;
        return decided(outcome);
      }
    }
    throw changedTooOften();
  }

  /** Forgets what it believes of a tenant. */
  forget(tenantId: string): void {
    this.#seatOf(tenantId).place.guess = undefined;
  }

  #seatOf(tenantId: string): Seat {
    const known = this.#seats.get(tenantId);
    if (known) return known;
    const place = new Place(tenantId, this.#ground);
    const seat = { place, queue: new Queue(place, this.#ground, this.#court, this.#listener) };
    this.#seats.set(tenantId, seat);
    return seat;
  }

  #viewOf(guess: Guess) {
    return readOnlyView(this.#court, guess, this.clock.now());
  }

  #missing({ known }: Place, decision: Decision<unknown>, needs: readonly Need[]): Need[] {
    return [...needs, ...needsOf(decision, this.#viewOf(known))].filter((need) => !known.has(need));
  }

  #open(guess: Guess, place: SecretPlace, sealed: Uint8Array): Secret {
    const { purpose, tenantId, keyId, version } = place;
    const name = `${purpose} ${tenantId} ${keyId} ${version} ${toBase64(sealed)}`;
    const known = this.#secrets.get(name);
    if (known) return known;
    const opened = openMaterial(guess.secrets.sealing, place, sealed);
    if (!opened) throw new Tampered(purpose, keyId ?? '', guess.tenant.tenant_id);
    this.#secrets.set(name, opened);
    return opened;
  }
}

/** Tries until a decision was judged. `attempt` gets the rows that the one before lacked. */
async function settled<Answer>(
  attempt: (needs: readonly Need[]) => Promise<Outcome>,
): Promise<Decided<Answer>> {
  let needs: readonly Need[] = [];
  for (let round = 0; round < mostRounds; round++) {
    const outcome = await attempt(needs);
    if (outcome.is === 'judged') return decided(outcome);
    if (outcome.is === 'failed') throw outcome.error;
    ({ needs } = outcome);
  }
  throw changedTooOften();
}

function changedTooOften(): Refusal {
  const detail = 'The data of this call changed too often while it was read. Try again in a moment.';
  return new Refusal('unavailable', detail);
}

type Judged = Extract<Outcome, { is: 'judged' }>;

function decided<Answer>({ verdict: { answer }, receipts }: Judged): Decided<Answer> {
  const made: unknown = typeof answer === 'function' ? answer(receipts) : answer;
  return { answer: made as Answer, receipts };
}
