// The one way to change a tenant, and to read it: a request becomes a decision, decisions wait for their tenant, and one append
// commits them. See docs/design/ledger.md. What is read is in place.ts, what is judged in judge.ts, what is written in queue.ts.
import { endSealer } from '../crypto/kept-sealers.ts';
import { changedTooOften, type Refusal } from '../rules/refusal.ts';
import { type Clock, StoreClock } from './clock.ts';
import type { Decision, Settled, View } from './decision.ts';
import type { Ground, Guess } from './guess.ts';
import { GuessView, judgeOnly, type Outcome, outcomeOf } from './judge.ts';
import { Place } from './place.ts';
import { mostRounds, type Patience, Queue } from './queue.ts';
import { Remembered, rememberedFor } from './remembered.ts';
import { type Need, refTo, unique } from './table.ts';
import { tenants } from './tables.ts';

const mostTenants = 2_000;
const mostSecrets = 20_000;
/** The most bytes of what is remembered of all tenants. Those that were used longest ago go first. */
const mostBytes = 64 * 1024 * 1024;

/** How a decision that writes nothing is judged, as its endpoint says. */
export interface Reading {
  /** On one snapshot, which has all that it needs. Absent: on what is remembered, as far as it is. */
  readonly snapshot?: true;
  /** On a snapshot whose head can be one that the service did not write, because the decision judges it. */
  readonly ofAnyHead?: true;
}

/** What came of a decision. The caller throws a refusal, after it noted its receipt. */
type Ended<Answer> = Settled<Answer | Refusal> | { readonly error: unknown };

export class Ledger {
  readonly clock: Clock;
  readonly #ground: Ground;
  readonly #queues = new Remembered<Queue>(mostTenants);

  /** `patience`: for how long a decision waits for its append, in milliseconds. */
  constructor(
    parts: Pick<Ground, 'store' | 'roots' | 'tables' | 'listener'>,
    patience: number,
    clock: Clock = new StoreClock(),
  ) {
    this.clock = clock;
    this.#ground = {
      ...parts,
      clock,
      opened: new Remembered(mostSecrets, rememberedFor, Infinity, endSealer),
      tenants: new Remembered(mostTenants, rememberedFor),
      guesses: new Remembered(mostTenants, rememberedFor, mostBytes),
      patience,
      waiting: 0,
    };
  }

  /** How many decisions wait until they are judged and what they write is committed. */
  get waiting(): number {
    return this.#ground.waiting;
  }

  /** For how long the oldest decision waits, in milliseconds. Who has left counts until the store takes what others wait for. */
  get oldestWait(): number {
    const now = performance.now();
    return Math.max(0, ...this.#queues.values().map(({ waitsSince }) => now - waitsSince));
  }

  /** Judges a decision that may write, and tells `then`, perhaps at once. Its answer is there when its entries are committed. */
  decide<Answer>(
    tenantId: string,
    decision: Decision<Answer>,
    how: Patience,
    then: (ended: Ended<Answer>) => void,
  ): void {
    const queue = this.#queueOf(tenantId);
    const { place } = queue;
    const deadline = this.#deadlineOf(how);
    const attempt = (needs: readonly Need[], round: number): void => {
      // The first attempt rests on what is remembered. What it lacks is read for the next.
      const isReady = place.guess && !decision.prepare && round === 0;
      const prepared = isReady ? undefined : this.#prepared(place, decision, needs, round);
      queue.wait(decision, how, deadline, (outcome) => end(outcome, round), prepared);
    };
    const end = (outcome: Outcome, round: number): void => {
      if ('needs' in outcome && round + 1 < mostRounds) attempt(outcome.needs, round + 1);
      else then(endOf(outcome));
    };
    attempt([], 0);
  }

  /** Reads what a decision will ask for, as far as it can be named, and lets it prepare. */
  async #prepared(place: Place, decision: Decision, needs: readonly Need[], round: number): Promise<void> {
    let guess = place.guess ?? (await place.read(needs));
    const missing = this.#missing(guess, decision, needs, round);
    if (missing.length > 0) guess = await place.read(missing);
    await decision.prepare?.(new GuessView(guess, this.clock.now()));
  }

  /**
   * Judges a decision that writes nothing, in a state that the tenant had after the call: what is remembered, confirmed by one
   * look at the head, or a snapshot, which has all that it needs.
   */
  async read<Answer>(
    tenantId: string,
    decision: Decision<Answer>,
    how: Patience,
    reading: Reading,
  ): Promise<Ended<Answer>> {
    const { place } = this.#queueOf(tenantId);
    const isSnapshot = reading.snapshot ?? reading.ofAnyHead;
    const attempt = isSnapshot
      ? this.#snapshot(place, decision, how, reading)
      : this.#confirmed(place, decision);
    let outcome: Outcome = { needs: [] };
    for (let round = 0; 'needs' in outcome && round < mostRounds; round++)
      outcome = await attempt(outcome.needs, round).catch(outcomeOf);
    return endOf(outcome);
  }

  #confirmed(place: Place, decision: Decision) {
    return async (needs: readonly Need[], round: number): Promise<Outcome> => {
      const { guess: before } = place;
      const guess = await place.read(before ? this.#missing(before, decision, needs, round) : needs);
      await decision.prepare?.(new GuessView(guess, this.clock.now()));
      return judgeOnly(guess, this.clock.now(), decision);
    };
  }

  #snapshot(place: Place, decision: Decision, how: Patience, { ofAnyHead }: Reading) {
    const deadline = this.#deadlineOf(how);
    let asked: readonly Need[] = [refTo(tenants, place.tenantId)];
    const ask = (needs: readonly Need[]): void => void (asked = unique([...asked, ...needs]));
    return async (missing: readonly Need[]): Promise<Outcome> => {
      const { guess: remembered } = place;
      if (remembered) ask(decision.needs(new GuessView(remembered, this.clock.now())));
      ask(missing);
      const read = asked;
      const known = await place.readFrom(read, deadline);
      const guess = place.guessFrom(known, read, !ofAnyHead);
      const view = new GuessView(guess, known.time);
      ask(decision.needs(view));
      if (asked.length > read.length) return { needs: [] };
      await decision.prepare?.(view);
      return judgeOnly(guess, known.time, decision);
    };
  }

  /** What is remembered of a tenant, if anything is. It can be out of date. */
  remembered(tenantId: string): View | undefined {
    const { guess } = this.#queueOf(tenantId).place;
    return guess && new GuessView(guess, this.clock.now());
  }

  /** Forgets what it believes of a tenant. */
  forget(tenantId: string): void {
    this.#ground.guesses.delete(tenantId);
  }

  #deadlineOf({ since = performance.now() }: Patience): number {
    return since + this.#ground.patience;
  }

  #queueOf(tenantId: string): Queue {
    const known = this.#queues.get(tenantId);
    if (known) return known;
    const queue = new Queue(new Place(tenantId, this.#ground));
    this.#queues.set(tenantId, queue);
    return queue;
  }

  #missing(guess: Guess, decision: Decision, needs: readonly Need[], round: number): Need[] {
    const all = [...needs, ...decision.needs(new GuessView(guess, this.clock.now()))];
    // Rows go while others are read, if another replica changes some: in the end all are read at once.
    return round > 1 ? all : all.filter((need) => !guess.has(need));
  }
}

/** Makes the answer, once its entries are committed. Missing never leaves the ledger. */
function endOf<Answer>(outcome: Outcome): Ended<Answer> {
  if ('needs' in outcome) return { error: changedTooOften() };
  if ('error' in outcome) return outcome;
  const { answer, receipts } = outcome;
  try {
    const made: unknown = typeof answer === 'function' ? answer(receipts) : answer;
    return { answer: made as Answer, receipts };
  } catch (error) {
    return { error };
  }
}
