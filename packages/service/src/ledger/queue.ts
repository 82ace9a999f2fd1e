// Decisions that wait for their tenant, and the append that commits what all of them write. The first attempt rests on the
// guess, in one round trip. An answer that was lost, or a head that another replica moved, takes the lock.
import type { EndSignal } from '../operation.ts';
import { auditUnwritten, Refusal } from '../rules/refusal.ts';
import type { Decision } from './decision.ts';
import { type Attempt, type Court, judgeAll, needsOf, type Outcome, readOnlyView } from './judge.ts';
import { type Ground, NoTenant, type Place, sameHead, textOf } from './place.ts';
import { type Appended, type Link, LinkRefused, type LockedTenant } from './store.ts';
import { type Need, refTo } from './table.ts';
import { tenants } from './tables.ts';

/** What the ledger tells of its appends. */
export interface QueueListener {
  appended(tenantId: string, link: Link): void;
  /** The store refused a link, or nobody knows whether it has it. */
  unwritten(error: unknown, tenantId: string): void;
  moved(): void;
  /** A decision begins to wait, or is settled. */
  waits(change: 1 | -1): void;
}

interface Waiting {
  readonly decision: Decision<unknown>;
  readonly isLocked: boolean;
  readonly deadline: number;
  isGone: boolean;
  settle(outcome: Outcome): void;
}

/** An attempt whose answer was lost: perhaps it was written. */
interface Lost {
  readonly attempt: Attempt;
  readonly batch: readonly Waiting[];
  readonly firstId: number;
  readonly nonce: Uint8Array;
}

/** What came of an attempt. `found`: the lost attempt that was written. */
interface Done {
  readonly attempt: Attempt | undefined;
  readonly appended: Appended | undefined;
  readonly found?: Lost | undefined;
}

/** Notes an attempt before it is written, with those for whom it is. */
type Begin = (attempt: Attempt, staying?: readonly Waiting[]) => Attempt;

/** After a fault the store is left alone for a moment, in milliseconds. */
const pauseAfterFault = 50;

export class Queue {
  readonly #place: Place;
  readonly #ground: Ground;
  readonly #court: Court;
  readonly #listener: QueueListener;
  readonly #waiting: Waiting[] = [];

  constructor(place: Place, ground: Ground, court: Court, listener: QueueListener) {
    this.#place = place;
    this.#ground = ground;
    this.#court = court;
    this.#listener = listener;
  }

  /** Waits until the decision is committed, or is known to need more rows. At the deadline it has failed. */
  wait(
    decision: Decision<unknown>,
    isLocked: boolean,
    deadline: number,
    signal: EndSignal | undefined,
  ): Promise<Outcome> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        decision,
        isLocked,
        deadline,
        isGone: false,
        settle: (outcome) => {
          if (waiting.isGone) return;
          waiting.isGone = true;
          this.#listener.waits(-1);
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          resolve(outcome);
        },
      };
      const leave = (): void => waiting.settle({ is: 'failed', error: auditUnwritten() });
      const left = Math.max(0, deadline - performance.now());
      const timer = left === Infinity ? undefined : setTimeout(leave, left);
      signal?.addEventListener('abort', leave);
      this.#listener.waits(1);
      this.#waiting.push(waiting);
      if (!this.#place.isWriting) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#place.isWriting = true;
    // All that arrive in the same moment are one batch.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0), []);
    } finally {
      this.#place.isWriting = false;
    }
  }

  /** Writes what a batch decides. `lost`: attempts at the same batch of which nobody knows whether they were written. */
  async #write(batch: readonly Waiting[], lost: readonly Lost[]): Promise<void> {
    const here = batch.filter(({ isGone }) => !isGone);
    if (here.length === 0) return;
    const isLocked = lost.length > 0 || this.#place.hasOthers || here.some((waiting) => waiting.isLocked);
    let [attempt, judged]: [Attempt | undefined, readonly Waiting[]] = [undefined, here];
    try {
      const startedAt = performance.now();
      const begin: Begin = (begun, staying = here) => {
        [attempt, judged] = [begun, staying];
        return begun;
      };
      const done = isLocked ? await this.#underLock(here, lost, begin) : await this.#atOnce(here, begin);
      const { appended, found } = done;
      if (appended) this.#ground.clock.learn(appended.time, startedAt);
      if (found) return this.#release(found.batch, found.attempt, here);
      if (done.attempt && (appended?.outcome ?? 'written') === 'written') {
        return this.#release(judged, done.attempt, here);
      }
      if (appended?.outcome === 'moved') {
        this.#listener.moved();
        this.#place.sawOthers();
      }
      return await this.#write(here, lost);
    } catch (error) {
      return this.#recover(judged, lost, attempt, error);
    }
  }

  async #atOnce(batch: readonly Waiting[], begin: Begin): Promise<Done> {
    if (!this.#place.guess) await this.#place.read([]);
    const guess = this.#place.known;
    const attempt = judgeAll(this.#court, guess, this.#ground.clock.now(), decisionsOf(batch));
    if (attempt.link) {
      begin(attempt);
      return { attempt, appended: await this.#ground.store.append(this.#place.tenantId, attempt.link) };
    }
    // Nothing is written: what a look at the head, and at the clock of the database, then says is the answer.
    await this.#place.read([]);
    const confirmed = judgeAll(this.#court, this.#place.known, this.#ground.clock.now(), decisionsOf(batch));
    return { attempt: confirmed.link ? undefined : confirmed, appended: undefined };
  }

  async #underLock(batch: readonly Waiting[], lost: readonly Lost[], begin: Begin): Promise<Done> {
    const place = this.#place;
    const needs = new Map<string, Need>([['tenant', refTo(tenants, place.tenantId)]]);
    if (place.guess) {
      const view = readOnlyView(this.#court, place.guess, this.#ground.clock.now());
      for (const { decision } of batch) {
        for (const need of needsOf(decision, view)) needs.set(textOf(need), need);
      }
    }
    const asked = [...needs.values()];
    let [attempt, found]: [Attempt | undefined, Lost | undefined] = [undefined, undefined];
    const work = (known: LockedTenant) => {
      const before = place.guess?.head;
      if (before && known.head && !sameHead(before, known.head)) place.sawOthers();
      place.lay(known, asked, before?.id);
      found = lost.find(({ nonce }) => nonce === known.written?.nonce);
      if (found) return undefined;
      // Whoever was told meanwhile that nothing is written has left.
      const staying = batch.filter(({ isGone }) => !isGone);
      if (staying.length === 0) return undefined;
      attempt = begin(judgeAll(this.#court, place.known, known.time, decisionsOf(staying)), staying);
      return attempt.link;
    };
    const last = Math.max(...batch.map(({ deadline }) => deadline));
    const appended = await this.#ground.store.locked(place.tenantId, asked, lost, work, last);
    return { attempt, appended, found };
  }

  async #recover(
    batch: readonly Waiting[],
    lost: readonly Lost[],
    attempt: Attempt | undefined,
    error: unknown,
  ): Promise<void> {
    const isOfTenant = error instanceof NoTenant || error instanceof Refusal;
    if (!isOfTenant) this.#listener.unwritten(error, this.#place.tenantId);
    if (error instanceof LinkRefused && batch.length > 1) {
      for (const waiting of batch) await this.#write([waiting], lost);
      return;
    }
    if (isOfTenant || error instanceof LinkRefused) {
      if (isOfTenant) this.#place.guess = undefined;
      const failure = isOfTenant ? error : auditUnwritten(error);
      for (const waiting of batch) waiting.settle({ is: 'failed', error: failure });
      return;
    }
    const { link } = attempt ?? {};
    const also =
      attempt && link ? [{ attempt, batch, firstId: link.expected.id + 1, nonce: link.next.nonce }] : [];
    await new Promise((resolve) => setTimeout(resolve, pauseAfterFault));
    await this.#write(batch, [...lost, ...also]);
  }

  /** Hands out what was committed. Those whom the link did not hold wait on, before those who came later. */
  #release(
    batch: readonly Waiting[],
    { link, outcomes, sum, writes }: Attempt,
    here: readonly Waiting[],
  ): void {
    const { guess, tenantId } = this.#place;
    if (link && guess) {
      if (link.next.id > guess.head.id) guess.advance(link.next, sum, writes);
      if (writes.has(refTo(tenants, tenantId))) this.#place.guess = undefined;
      this.#listener.appended(tenantId, link);
    }
    for (const [nth, waiting] of batch.entries()) {
      const outcome = outcomes[nth];
      if (outcome) waiting.settle(outcome);
    }
    this.#waiting.unshift(...here.filter(({ isGone }) => !isGone));
  }
}

const decisionsOf = (batch: readonly Waiting[]) => batch.map(({ decision }) => decision);
