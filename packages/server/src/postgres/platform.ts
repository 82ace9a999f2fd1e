// Where the links of many tenants wait for the next statement. Each link costs a round trip and a commit, so at most two statements
// are under way, and what waits meanwhile leaves together. Nothing of the ledger rests on it: each link has its own outcome.
import { type Appended, type Link, LinkRefused, type Store } from '@eaas/service';
import { timeLimit } from '../base/time-limit.ts';
import { activeSpan, tracedTogether } from '../base/tracing.ts';
import type { TenantLink } from './append.ts';
import { both } from './database.ts';

/** How links leave. Whoever throws LinkRefused has written nothing. */
export interface Ways {
  alone(leaving: TenantLink, deadline: number): Promise<Appended>;
  /** Returns undefined for those that only `alone` can write, or say why not. */
  together(leaving: readonly TenantLink[], deadline: number): Promise<readonly (Appended | undefined)[]>;
}

/** With more under way, fewer links would share a statement. */
const mostUnderWay = 2;
/** A statement that takes so long, in milliseconds, holds up no other. */
const late = 100;
/** The most that leave together, and the most bytes of one link among them: more would hold up the others. */
const most = { links: 64, bytes: 64 * 1024, bytesOfOne: 12 * 1024 };

/** For how long a tenant whose link was refused leaves alone, in milliseconds: with it, no link of the others would be written. */
const aloneFor = 10_000;

interface Waiting extends TenantLink {
  readonly bytes: number;
  readonly deadline: number;
  readonly span: ReturnType<typeof activeSpan>;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

export class Platform implements Pick<Store, 'append'> {
  readonly #ways: Ways;
  /** By their tenants, in the order of their arrival. */
  readonly #waiting = new Map<string, Waiting>();
  /** Until when a tenant leaves alone, as a value of `performance.now()`. The oldest come first. */
  readonly #aloneUntil = new Map<string, number>();
  #underWay = 0;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  append(tenantId: string, link: Link): Promise<Appended> {
    const bytes = bytesOf(link);
    const deadline = performance.now() + timeLimit(5_000);
    const isLarge = link.writes.length > 0 || bytes > most.bytesOfOne;
    if (isLarge || this.#waiting.has(tenantId)) return this.#ways.alone({ tenantId, link }, deadline);
    return new Promise((resolve, reject) => {
      const waiting = { tenantId, link, bytes, deadline, span: activeSpan(), resolve, reject };
      if (this.#goesAlone(tenantId)) {
        this.#sendAlone(waiting);
        return;
      }
      this.#waiting.set(tenantId, waiting);
      this.#leave();
    });
  }

  #goesAlone(tenantId: string): boolean {
    const now = performance.now();
    for (const [refusedId, until] of this.#aloneUntil) {
      if (until > now) break;
      this.#aloneUntil.delete(refusedId);
    }
    return this.#aloneUntil.has(tenantId);
  }

  /** A tenant whose link the database refuses, such as one that was restored by half, stays apart for a while. */
  #keepApart(tenantId: string, error: unknown): void {
    if (!(error instanceof LinkRefused)) return;
    this.#aloneUntil.delete(tenantId);
    this.#aloneUntil.set(tenantId, performance.now() + aloneFor);
  }

  /** Sends what waits, as often as there is room for a statement. */
  #leave(): void {
    while (this.#underWay < mostUnderWay && this.#waiting.size > 0) {
      this.#underWay++;
      let isUnderWay = true;
      const makeRoom = (): void => {
        if (isUnderWay) this.#underWay--;
        isUnderWay = false;
        this.#leave();
      };
      const timer = setTimeout(makeRoom, timeLimit(late));
      this.#send(this.#next(), () => {
        clearTimeout(timer);
        makeRoom();
      });
    }
  }

  #next(): Waiting[] {
    const leaving: Waiting[] = [];
    let bytes = 0;
    for (const one of this.#waiting.values()) {
      bytes += one.bytes;
      if (leaving.length === most.links || bytes > most.bytes) break;
      leaving.push(one);
    }
    for (const { tenantId } of leaving) this.#waiting.delete(tenantId);
    return leaving;
  }

  /** Sends links, and tells `then` when it is known what became of them. */
  #send(leaving: readonly Waiting[], then: () => void): void {
    const [first] = leaving;
    if (first && leaving.length === 1) return this.#sendAlone(first, then);
    const spans = leaving.map(({ span }) => span);
    const deadline = Math.min(...leaving.map((one) => one.deadline));
    const hand = (appended: readonly (Appended | undefined)[]): void => {
      for (const [nth, one] of leaving.entries()) {
        const { [nth]: known } = appended;
        if (known) one.resolve(known);
        else this.#sendAlone(one);
      }
    };
    // What can have been written is never sent again: each tenant looks for it under its lock.
    const fail = (error: unknown): void => {
      for (const one of leaving) {
        if (error instanceof LinkRefused) this.#sendAlone(one);
        else one.reject(error);
      }
    };
    const sent = tracedTogether('database.append', spans, () => this.#ways.together(leaving, deadline));
    sent.then(both(hand, then), both(fail, then));
  }

  #sendAlone(one: Waiting, then = () => {}): void {
    const fail = (error: unknown): void => {
      this.#keepApart(one.tenantId, error);
      one.reject(error);
    };
    this.#ways.alone(one, one.deadline).then(both(one.resolve, then), both(fail, then));
  }
}

/** About how many bytes a link takes in a statement. */
const bytesOf = ({ seals, runs }: Link): number =>
  runs.reduce((sum, { metadata }) => sum + 256 + metadata.length, seals.length);
