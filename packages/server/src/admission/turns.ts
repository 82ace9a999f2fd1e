import { busy } from './shares.ts';

/** Work that can pause after each step, as a generator does at each `yield`. */
type Work<T> = Iterator<undefined, T, undefined>;

export interface TurnOptions {
  /** If the signal is aborted, the work is dropped before it continues. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the call that the work belongs to has already begun. Such work is never refused because it waited too long.
   */
  readonly isBegun?: boolean;
}

interface Job {
  readonly signal: AbortSignal | undefined;
  readonly since: number;
  isBegun: boolean;
  step(): boolean;
  refuse(): void;
}

/**
 * The maximum time in milliseconds that one tenant's work uses the event loop without a pause. Waiting I/O is handled
 * in the pause.
 */
const slice = 4;
/**
 * The time in milliseconds that the start of a call counts against the tenant's turn. The rest of the call runs outside
 * the turn.
 */
const start = 0.25;
/** The maximum time in milliseconds that work waits for the event loop. Work that waits longer is refused. */
const patience = 2_000;

/**
 * Divides the CPU time of the event loop among the tenants. After 4 ms of work, the event loop handles waiting I/O, and
 * then the next tenant's work runs. Work starts at once if no other work waits and the 4 ms are not over.
 */
export class Turns {
  readonly #clock: () => number;
  readonly #later: (turn: () => void) => void;
  /** The waiting jobs of each tenant. The jobs of the first tenant in the map run next. */
  readonly #queues = new Map<string, Job[]>();
  /** The time at which the current turn on the event loop ends. Null if no turn has begun. */
  #end: number | null = null;
  #waiting = 0;
  #refused = 0;

  constructor(clock = () => performance.now(), later: (turn: () => void) => void = setImmediate) {
    this.#clock = clock;
    this.#later = later;
  }

  get counts(): { readonly waiting: number; readonly refused: number } {
    return { waiting: this.#waiting, refused: this.#refused };
  }

  /**
   * Runs a tenant's work in as many turns on the event loop as the work needs. Throws 503 if the work waited too long
   * or its signal was aborted. Throws the errors of the work unchanged.
   */
  run<T>(tenantId: string, work: Work<T>, options: TurnOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const job: Job = {
        signal: options.signal,
        since: this.#clock(),
        isBegun: options.isBegun ?? false,
        step: () => {
          job.isBegun = true;
          try {
            const { done, value } = work.next();
            if (!done) return false;
            resolve(value);
          } catch (error) {
            reject(error);
          }
          return true;
        },
        refuse: () => reject(busy()),
      };
      if (this.#queues.size === 0 && this.#isFree() && this.#work(job)) return;
      const queue = this.#queues.get(tenantId);
      if (queue) queue.push(job);
      else this.#queues.set(tenantId, [job]);
      this.#waiting++;
    });
  }

  /** Runs a tenant's function within one turn on the event loop. The function must take a few milliseconds at most. */
  call<T>(tenantId: string, work: () => T, options?: TurnOptions): Promise<T> {
    return this.run(tenantId, { next: () => ({ done: true, value: work() }) }, options);
  }

  /**
   * Waits until the tenant can start a call. A tenant can start at most 16 calls before the next tenant's work runs.
   */
  begin(tenantId: string, options?: TurnOptions): Promise<void> {
    const count = (): void => {
      if (this.#end !== null) this.#end -= start;
    };
    return this.call(tenantId, count, options);
  }

  /** Returns whether the current turn on the event loop has time left. Begins a turn if no turn is in progress. */
  #isFree(): boolean {
    if (this.#end === null) {
      this.#end = this.#clock() + slice;
      this.#later(() => this.#turn());
    }
    return this.#clock() < this.#end;
  }

  #work(job: Job): boolean {
    while (!job.step()) if (!this.#isFree()) return false;
    return true;
  }

  #turn(): void {
    this.#end = null;
    const [next] = this.#queues;
    if (!next) return;
    const [tenantId, jobs] = next;
    for (let [job] = jobs; job && this.#isFree(); [job] = jobs) {
      if (this.#isTooLate(job)) {
        this.#refused++;
        job.refuse();
      } else if (!this.#work(job)) break;
      jobs.shift();
      this.#waiting--;
    }
    this.#queues.delete(tenantId);
    if (jobs.length > 0) this.#queues.set(tenantId, jobs);
  }

  #isTooLate({ isBegun, since, signal }: Job): boolean {
    return signal?.aborted === true || (!isBegun && this.#clock() - since > patience);
  }
}
