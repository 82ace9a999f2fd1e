// Decisions that wait for their tenant, and the append that commits what all of them write. The first attempt rests on the
// guess, in one round trip. A head that another replica moved without a change of rows is followed, and the batch judged anew. An
// answer that was lost, a change, and a head that moves again and again take the lock.
import type { EndSignal } from '../operation.ts';
import { auditUnwritten, Refusal } from '../rules/refusal.ts';
import type { Decision } from './decision.ts';
import type { Step } from './guess.ts';
import { type Attempt, judgeAll, type Outcome, outcomeOf, View } from './judge.ts';
import { mostRounds } from './rounds.ts';
import { NoTenant, type TenantCache, sameHead } from './tenant-cache.ts';
import { type Appended, type Known, LinkRefused } from './store.ts';
import { type Need, type Ref, refTo, unique } from './table.ts';
import { tenants } from './tables.ts';

/** A call was answered before the store had answered, or before it was its turn. */
export class TimeIsOver extends Error {
  override readonly name = 'TimeIsOver';

  constructor(waited: number, step: Step) {
    super(
      `after ${Math.round(waited)} ms, the time of a call was over; the database had not answered (${step})`,
    );
  }
}

/** How a decision waits. */
export interface Patience {
  readonly signal?: EndSignal | undefined;
  /** Since when the caller waits, as a value of `performance.now()`. Absent: it begins to. */
  readonly since?: number | undefined;
  /** Judges under the lock of the head, with the time that its transaction reads: for jobs that erase or rotate. */
  readonly isLocked?: boolean;
}

/** A decision on its way. It has an end once: when it is committed, or failed, or known to need more rows. */
interface Waiting {
  readonly decision: Decision;
  readonly isLocked: boolean;
  readonly since: number;
  readonly deadline: number;
  /** Its cache among those that are open. */
  at: number;
  isGone: boolean;
  settle(outcome: Outcome): void;
}

/** An attempt as the store has answered it. */
interface Tried extends Attempt<Waiting> {
  /** What the store said of the link. Absent if nothing is to be written, or if it is a lost one that was found. */
  readonly appended?: Appended | undefined;
  /** Whether the guess has met the head that was there instead. */
  readonly hasMet?: boolean;
}

/** After a fault the store is left alone for a moment, in milliseconds. Meanwhile deadlines end. */
const pauseAfterFault = 50;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseAfterFault));
/** How often a batch is judged on a head that moved, before it takes the lock. */
const mostMoves = 3;

/** Rows that an attempt replaces. One that somebody altered is evidence: it is read again before another takes its cache. */
const replacedBy = ({ writes }: Attempt): Ref[] =>
  Array.from(writes).flatMap(([ref, { before }]) => (before ? ref : []));

export class Queue {
  readonly cache: TenantCache;
  readonly #waiting: Waiting[] = [];
  /** All that have no end yet: those that wait, are prepared, or are written. A Set would keep many that have one in memory. */
  readonly #open: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Infinity;
  /** What the store was last told to write, and what it is asked for. */
  #begun: Attempt<Waiting> | undefined;
  #step: Step = 'append';
  /** Since when it writes, and no append has succeeded, as a value of `performance.now()`. */
  #writesSince = Infinity;

  constructor(cache: TenantCache) {
    this.cache = cache;
  }

  /** Since when the oldest decision waits, or the store has taken none of them, as a value of `performance.now()`. */
  get waitsSince(): number {
    return this.#open.reduce((least, { since }) => Math.min(least, since), this.#writesSince);
  }

  /**
   * Waits until the decision is prepared, and committed or known to need more rows. At the deadline it has failed. `then` is told,
   * perhaps at once.
   */
  wait(
    decision: Decision,
    { isLocked = false, signal }: Patience,
    deadline: number,
    then: (outcome: Outcome) => void,
    prepared?: Promise<void>,
  ): void {
    const { ledger } = this.cache;
    const waiting: Waiting = {
      decision,
      isLocked,
      since: performance.now(),
      deadline,
      at: this.#open.length,
      isGone: false,
      settle: (outcome) => {
        if (waiting.isGone) return;
        waiting.isGone = true;
        ledger.waiting--;
        this.#close(waiting);
        signal?.removeEventListener('abort', leave);
        then(outcome);
      },
    };
    const leave = (): void => waiting.settle({ error: auditUnwritten() });
    ledger.waiting++;
    this.#open.push(waiting);
    signal?.addEventListener('abort', leave);
    // The caller can have left before.
    if (signal?.aborted) leave();
    else if (deadline <= performance.now()) this.#giveUp(waiting);
    else if (deadline < this.#dueAt) this.#comeBack(deadline);
    const enter = (): void => this.#enter(waiting);
    if (prepared) prepared.then(enter, (error: unknown) => waiting.settle(outcomeOf(error)));
    else enter();
  }

  #close(waiting: Waiting): void {
    const last = this.#open.pop();
    if (!last || last === waiting) return;
    this.#open[waiting.at] = last;
    last.at = waiting.at;
  }

  /** Lets those go whose deadline is over. One timer is enough for all. */
  #comeBack(at: number): void {
    clearTimeout(this.#timer);
    this.#dueAt = at;
    if (at === Infinity) return;
    this.#timer = setTimeout(
      () => {
        const now = performance.now();
        const late = this.#open.filter(({ deadline }) => deadline <= now);
        for (const waiting of late) this.#giveUp(waiting);
        this.#comeBack(this.#open.reduce((least, { deadline }) => Math.min(least, deadline), Infinity));
      },
      Math.max(0, at - performance.now()),
    );
    // Whoever waits keeps the process alive by what it waits for.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Answers a caller whose time is over. A database that is only slow fails nothing, so nobody else would tell of it. */
  #giveUp(waiting: Waiting): void {
    if (waiting.isGone) return;
    const cause = new TimeIsOver(performance.now() - waiting.since, this.#step);
    this.cache.ledger.listener.unwritten?.(cause, this.cache.tenantId, this.#step);
    waiting.settle({ error: auditUnwritten(cause) });
  }

  /** Lets a decision wait for its turn. */
  #enter(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (!this.cache.isWriting) void this.#drain();
  }

  /** Writes until none waits. */
  async #drain(): Promise<void> {
    this.cache.isWriting = true;
    this.#writesSince = performance.now();
    try {
      while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0), []);
    } finally {
      this.cache.isWriting = false;
      this.#writesSince = Infinity;
    }
  }

  /**
   * Writes what a batch decides. `lost`: attempts at the same batch of which nobody knows whether they were written. `moves`: how
   * often its head moved.
   */
  async #write(
    batch: readonly Waiting[],
    lost: readonly Attempt<Waiting>[],
    moves = 0,
    isRepeated = false,
  ): Promise<void> {
    const { cache } = this;
    if (batch.every(({ isGone }) => isGone)) return;
    const isLocked = lost.length > 0 || moves >= mostMoves || batch.some((waiting) => waiting.isLocked);
    this.#begun = undefined;
    this.#step = isLocked ? 'lock' : 'append';
    const startedAt = performance.now();
    let attempt: Tried | undefined;
    try {
      attempt = await (isLocked ? this.#underLock(batch, lost) : this.#atOnce(batch));
    } catch (error) {
      return this.#recover(batch, lost, error);
    }
    const { appended, hasMet } = attempt ?? {};
    if (appended) cache.ledger.clock.learn(appended.time, startedAt);
    if (attempt && (appended?.outcome ?? 'written') === 'written') return this.#release(attempt, batch);
    const isMoved = appended?.outcome === 'moved';
    if (isMoved) cache.ledger.listener.moved?.();
    // Whoever came meanwhile shares the next attempt, so that the replica that lost has more to write than the one that won.
    if (hasMet) return this.#write([...batch, ...this.#waiting.splice(0)], lost, moves + 1);
    if (isRepeated) await pause();
    return this.#write(batch, lost, isMoved ? mostMoves : moves, true);
  }

  async #atOnce(batch: readonly Waiting[]): Promise<Tried | undefined> {
    const { cache } = this;
    const { store, clock } = cache.ledger;
    const guess = cache.guess ?? (await cache.read([]));
    const here = batch.filter(({ isGone }) => !isGone);
    const attempt = judgeAll(guess, clock.now(), here);
    const { link, outcomes } = attempt;
    // Who needs more rows has nothing to wait for.
    for (const [nth, outcome] of outcomes.entries()) if ('needs' in outcome) here[nth]?.settle(outcome);
    if (link) {
      this.#begun = attempt;
      const appended = await store.append(cache.tenantId, link);
      this.#begun = undefined;
      if (appended.outcome !== 'moved') return { ...attempt, appended };
      return { ...attempt, appended, hasMet: cache.meet(link.expected, appended.head) };
    }
    const staying = here.filter(({ isGone }) => !isGone);
    if (staying.length === 0) return attempt;
    // Nothing is written: what a look at the head, and at the clock of the database, then says is the answer.
    const confirmed = judgeAll(await cache.read([]), clock.now(), staying);
    return confirmed.link ? undefined : confirmed;
  }

  /** Judges under the lock, once all that the batch needs is read there, and replaces no row that is not. */
  async #underLock(
    batch: readonly Waiting[],
    lost: readonly Attempt<Waiting>[],
    more: readonly Need[] = [],
    round = 1,
  ): Promise<Tried | undefined> {
    const { cache } = this;
    const { store, clock } = cache.ledger;
    const view = new View(cache.guess ?? (await cache.read([])), clock.now());
    const named = batch.flatMap(({ decision }) => decision.needs(view));
    const asked = unique([refTo(tenants, cache.tenantId), ...more, ...named]);
    this.#step = 'lock';
    let attempt: Attempt<Waiting> | undefined;
    let unread: readonly Need[] = [];
    const work = (known: Known) => {
      const { newest } = cache;
      if (newest && known.head && !sameHead(newest, known.head)) cache.sawForeignAppend();
      const guess = cache.merge(known, asked, newest?.id);
      if (!guess) throw new Error('a tenant was read without its row');
      attempt = lost.find(({ link }) => link === known.written);
      if (attempt) return undefined;
      // Whoever was told meanwhile that nothing is written has left.
      const staying = batch.filter(({ isGone }) => !isGone);
      if (staying.length === 0) return undefined;
      attempt = judgeAll(guess, known.time, staying);
      this.#begun = attempt;
      this.#step = 'append under lock';
      const lacked = attempt.outcomes.flatMap((outcome) => ('needs' in outcome ? outcome.needs : []));
      unread = unique([...asked, ...replacedBy(attempt), ...lacked]).slice(asked.length);
      return unread.length > 0 ? undefined : attempt.link;
    };
    const last = Math.max(...batch.map(({ deadline }) => deadline));
    const links = lost.flatMap(({ link }) => link ?? []);
    const appended = await store.locked(cache.tenantId, asked, links, work, last);
    if (unread.length > 0 && round < mostRounds) {
      return this.#underLock(batch, lost, [...asked, ...unread], round + 1);
    }
    // A lost link can still land, so who is in it is judged here to the end: elsewhere it would be written once more.
    const isLost = lost.length > 0 && attempt?.link === undefined;
    if (unread.length > 0 || (isLost && attempt?.outcomes.some((outcome) => 'needs' in outcome))) {
      throw auditUnwritten();
    }
    return attempt && { ...attempt, appended };
  }

  async #recover(
    waiting: readonly Waiting[],
    lost: readonly Attempt<Waiting>[],
    error: unknown,
  ): Promise<void> {
    const { cache } = this;
    const { batch = waiting, link } = this.#begun ?? {};
    const also = this.#begun && link ? [this.#begun] : [];
    const isOfTenant = error instanceof NoTenant || error instanceof Refusal;
    if (!isOfTenant) cache.ledger.listener.unwritten?.(error, cache.tenantId, this.#step);
    if (error instanceof LinkRefused && batch.length > 1) {
      for (const each of batch) await this.#write([each], lost);
      return;
    }
    if (isOfTenant || error instanceof LinkRefused) {
      if (isOfTenant) cache.forget();
      const failure = isOfTenant ? error : auditUnwritten(error);
      for (const each of batch) each.settle({ error: failure });
      return;
    }
    await pause();
    await this.#write(batch, [...lost, ...also]);
  }

  /** Hands out what was committed. Those whom the link did not hold wait on, before those who came later. */
  #release({ batch, link, outcomes, sum, writes }: Attempt<Waiting>, waiting: readonly Waiting[]): void {
    const { tenantId, ledger } = this.cache;
    // Requests that have an end would wait in memory for the next append.
    this.#begun = undefined;
    this.#writesSince = performance.now();
    if (link) {
      this.cache.advance(link, sum, writes);
      ledger.listener.appended?.(tenantId, link);
    }
    for (const [nth, outcome] of outcomes.entries()) batch[nth]?.settle(outcome);
    this.#waiting.unshift(...waiting.filter(({ isGone }) => !isGone));
  }
}
