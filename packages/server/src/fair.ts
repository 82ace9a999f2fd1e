// Shares this replica among tenants. A request enters before its body is read, and leaves when its response has closed; work
// that takes long lets others go first. HTTP calls `enter`, and the service's long loops `isOver` and `pause`.
import { type EndSignal, Refusal } from '@eaas/service';
import { parseUuid } from '@eaas/protocol';
import { letGoOn, type Queues, waitIn } from './base/queues.ts';
import { timeLimit } from './base/time-limit.ts';

/** How much a replica does at once. A request without a long body costs 1. */
const capacity = 128;
/** How long a request waits until it may enter, in milliseconds. */
const patience = 2_000;
/** For how long work goes on before the event loop handles I/O, in milliseconds. */
const slice = 1;

interface Waiting {
  readonly cost: number;
  /** Both are let go when it begins or leaves: its timer would keep the request in memory. */
  begin: (() => void) | undefined;
  refuse: (() => void) | undefined;
}

interface Tenant {
  held: number;
  readonly waiting: Waiting[];
}

/** Runs something in a later turn of the event loop, or after a time. */
type Later = (work: () => void, milliseconds?: number) => void;

/**
 * One queue for all: a tenant that holds nothing may take whatever is free, and any other tenant at most half of what others
 * leave. Those who send no API key are one tenant.
 */
export class Fair {
  readonly #clock: () => number;
  readonly #later: Later;
  /** In the order in which they are served. Whoever was served goes to the end. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #paused: Queues = new Map();
  /** How much time tenants have had that paused, in milliseconds, and the one that went on last, before it did. */
  readonly #had = new Map<string, number>();
  #leastHad = 0;
  #held = 0;
  #waiting = 0;
  #refused = 0;
  #sliceEnd: number | undefined;

  constructor(clock = () => performance.now(), later: Later = runLater) {
    this.#clock = clock;
    this.#later = later;
  }

  get counts(): Readonly<Record<'held' | 'waiting' | 'refused' | 'paused', number>> {
    const paused = [...this.#paused.values()].flat().length;
    return { held: this.#held, waiting: this.#waiting, refused: this.#refused, paused };
  }

  /**
   * Waits until the request may begin, and tells `then`, perhaps at once: Refusal 503 if it waited too long. It ends when the
   * signal says so.
   */
  enter(tenantId: string, cost: number, signal: EndSignal, then: (refusal?: Refusal) => void): void {
    if (signal.aborted) return then(busy());
    const tenant = this.#tenants.get(tenantId) ?? { held: 0, waiting: [] };
    this.#tenants.set(tenantId, tenant);
    const begin = (): void => {
      signal.addEventListener('abort', () => {
        this.#hold(tenant, -cost);
        this.#goOn(tenantId, tenant);
      });
      if (this.isOver()) void this.pause(tenantId).then(() => then());
      else then();
    };
    if (tenant.waiting.length === 0 && this.#fits(tenant, cost)) {
      this.#hold(tenant, cost);
      begin();
    } else this.#wait(tenantId, tenant, { cost, begin, refuse: () => then(busy()) }, signal);
  }

  /** Whether work has gone on for so long that it should pause. */
  isOver(): boolean {
    if (this.#sliceEnd === undefined) {
      this.#sliceEnd = this.#clock() + slice;
      this.#later(() => this.#turn());
    }
    return this.#clock() >= this.#sliceEnd;
  }

  /** Waits until the event loop has handled I/O, and those have gone on who paused before. Never rejects. */
  pause(tenantId: string): Promise<void> {
    this.isOver();
    return waitIn(this.#paused, tenantId);
  }

  #turn(): void {
    this.#sliceEnd = undefined;
    if (this.#paused.size > 0) void this.#letPausedGoOn();
  }

  /**
   * Lets those go on who have paused, one at a time, for a slice. Whose tenant has had the least time goes first, so that one
   * whose work comes in long pieces gets no more of it. Of strangers, one goes on in a turn.
   */
  async #letPausedGoOn(): Promise<void> {
    const strangers = new Set<string>();
    // From a promise on, a tick comes after all that promises do, also after the first who goes on.
    await Promise.resolve();
    while (this.#paused.size > 0) {
      const tenantId = this.#next(strangers);
      if (tenantId === undefined || this.isOver()) return;
      if (!parseUuid(tenantId)) strangers.add(tenantId);
      const begunAt = this.#clock();
      letGoOn(this.#paused, tenantId);
      // It runs now, until it pauses again or waits for something else.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      this.#had.set(tenantId, this.#leastHad + this.#clock() - begunAt);
    }
    this.#had.clear();
  }

  /** Who waits and has had the least time. Who comes after a while has had as much as who went on last. */
  #next(done: ReadonlySet<string>): string | undefined {
    let next: string | undefined;
    let least = Infinity;
    for (const tenantId of this.#paused.keys()) {
      const had = Math.max(this.#had.get(tenantId) ?? 0, this.#leastHad);
      if (had < least && !done.has(tenantId)) {
        next = tenantId;
        least = had;
      }
    }
    if (next !== undefined) this.#leastHad = least;
    return next;
  }

  #fits({ held }: Tenant, cost: number): boolean {
    const free = capacity - this.#held;
    return cost <= free && (held === 0 || held + cost <= (free + held) / 2);
  }

  #hold(tenant: Tenant, cost: number): void {
    tenant.held += cost;
    this.#held += cost;
  }

  #wait(tenantId: string, tenant: Tenant, waiting: Waiting, signal: EndSignal): void {
    const leave = (): void => {
      const { refuse } = waiting;
      if (!refuse) return;
      waiting.begin = undefined;
      waiting.refuse = undefined;
      this.#waiting--;
      this.#refused++;
      tenant.waiting.splice(tenant.waiting.indexOf(waiting), 1);
      refuse();
      // One behind it can be smaller.
      this.#goOn(tenantId, tenant);
    };
    this.#waiting++;
    tenant.waiting.push(waiting);
    this.#later(leave, timeLimit(patience));
    signal.addEventListener('abort', leave);
  }

  /** Lets in who fits, tenant by tenant, after a request of one has gone. */
  #goOn(goneId: string, gone: Tenant): void {
    if (gone.held === 0 && gone.waiting.length === 0) this.#tenants.delete(goneId);
    const entering: (() => void)[] = [];
    for (const [tenantId, tenant] of this.#tenants) {
      if (this.#waiting === 0) break;
      const [first] = tenant.waiting;
      if (!first || !this.#fits(tenant, first.cost)) continue;
      tenant.waiting.shift();
      this.#waiting--;
      this.#hold(tenant, first.cost);
      this.#tenants.delete(tenantId);
      this.#tenants.set(tenantId, tenant);
      if (first.begin) entering.push(first.begin);
      first.begin = undefined;
      first.refuse = undefined;
    }
    for (const begin of entering) begin();
  }
}

const busy = (): Refusal =>
  new Refusal('unavailable', 'The service is busy with other requests. Try again in a moment.');

function runLater(work: () => void, milliseconds?: number): void {
  if (milliseconds === undefined) setImmediate(work);
  else setTimeout(work, milliseconds).unref();
}
