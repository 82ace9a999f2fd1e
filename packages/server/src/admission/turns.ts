import type { EndSignal } from '../base/waiting-room.ts';
import { busy } from './shares.ts';
import { timeLimit } from '../base/time-limit.ts';

type Work<T> = Iterator<undefined, T, undefined>;

export interface TurnOptions {
  readonly signal?: EndSignal | undefined;
  readonly isBegun?: boolean;
  /**
   * Whether a database transaction stays open until the work is done. Such work runs before all other work of its
   * tenant, and is never refused.
   */
  readonly isUrgent?: boolean;
  readonly within?: number;
}

interface BeginOptions extends TurnOptions {
  /** The CPU time, in milliseconds, that counts as used for this start. */
  readonly cost?: number;
}

interface Job {
  readonly signal: EndSignal | undefined;
  readonly since: number;
  readonly within: number;
  /**
   * Whether the job is no longer refused after two seconds of waiting. A long job begins with its second slice.
   * Otherwise, an overloaded tenant would begin all its jobs and end most of them too late.
   */
  isBegun: boolean;
  slices: number;
  step(): boolean;
  refuse(): void;
}

/** How many milliseconds the work of one tenant runs before the event loop handles I/O. */
const slice = 1;
/**
 * The estimated CPU time, in milliseconds, that a call needs after the function `begin` has started it. Counts as used
 * in the turn in which the call starts.
 */
const start = 0.125;
const patience = 2_000;
/** How many slices a long job gets before the next long job of its tenant runs. */
const slicesInRow = 16;

interface Queue {
  readonly urgent: Job[];
  /** The jobs that have not yet run. */
  readonly short: Job[];
  /**
   * The jobs that did not end in their first slice. In every second turn of the tenant, short jobs run before these
   * long jobs.
   */
  readonly long: Job[];
  isLongNext: boolean;
  /**
   * The CPU time that the tenant has used, in milliseconds. A new tenant starts with the lowest value of all waiting
   * tenants. If it started with 0, it would run alone until it had used as much CPU time as the other tenants.
   */
  served: number;
}

/** The waiting tenant that has used the least CPU time runs next. */
export class Turns {
  readonly #clock: () => number;
  readonly #later: (turn: () => void) => void;
  readonly #queues = new Map<string, Queue>();
  /**
   * The CPU time that each tenant without waiting work has used. A tenant that waits again soon continues with this
   * value.
   */
  readonly #ahead = new Map<string, number>();
  #least = 0;
  #turnEnd: number | null = null;
  #waiting = 0;
  #refused = 0;

  constructor(clock = () => performance.now(), later: (turn: () => void) => void = setImmediate) {
    this.#clock = clock;
    this.#later = later;
  }

  get counts(): { readonly waiting: number; readonly refused: number } {
    return { waiting: this.#waiting, refused: this.#refused };
  }

  run<T>(tenantId: string, work: Work<T>, options: TurnOptions = {}): Promise<T> {
    const { signal, within = Infinity, isUrgent = false, isBegun = isUrgent } = options;
    return new Promise((resolve, reject) => {
      let rest: Work<T> | undefined = work;
      const job: Job = {
        signal,
        since: this.#clock(),
        within,
        isBegun,
        slices: 0,
        step: () => {
          try {
            const result = rest?.next();
            if (result?.done === false) return false;
            if (result) resolve(result.value as T);
          } catch (error) {
            reject(error);
          }
          rest = undefined;
          return true;
        },
        refuse: () => reject(busy()),
      };
      const isAlone = this.#queues.size === 0 && this.#isFree();
      if (isAlone && this.#work(job)) return;
      this.#queueOf(tenantId)[isUrgent ? 'urgent' : isAlone ? 'long' : 'short'].push(job);
      this.#waiting++;
      // The work can hold a large body and keys, so it is dropped at once when the call ends.
      signal?.addEventListener('abort', () => {
        if (!rest) return;
        rest = undefined;
        job.refuse();
      });
    });
  }

  call<T>(tenantId: string, work: () => T, options?: TurnOptions): Promise<T> {
    return this.run(tenantId, { next: () => ({ done: true, value: work() }) }, options);
  }

  /** Waits for a turn in which a call may start, and runs the first work of the call in this turn. */
  begin(tenantId: string, options: BeginOptions = {}, work = (): void => {}): Promise<void> {
    const { cost = start } = options;
    const counted = (): void => {
      if (this.#turnEnd !== null) this.#turnEnd -= cost;
      work();
    };
    return this.call(tenantId, counted, options);
  }

  #queueOf(tenantId: string): Queue {
    const present = this.#queues.get(tenantId);
    if (present) return present;
    const served = Math.max(this.#least, this.#ahead.get(tenantId) ?? 0);
    const queue = { urgent: [], short: [], long: [], isLongNext: false, served };
    this.#queues.set(tenantId, queue);
    return queue;
  }

  #isFree(): boolean {
    if (this.#turnEnd === null) {
      this.#turnEnd = this.#clock() + slice;
      this.#later(() => this.#turn());
    }
    return this.#clock() < this.#turnEnd;
  }

  #work(job: Job): boolean {
    while (!job.step()) if (!this.#isFree()) return false;
    return true;
  }

  #turn(): void {
    this.#turnEnd = null;
    const next = this.#next();
    if (!next) return;
    const [tenantId, queue] = next;
    const { urgent, short, long } = queue;
    for (const jobs of queue.isLongNext ? [urgent, long, short] : [urgent, short, long]) {
      for (let [job] = jobs; job && this.#isFree(); [job] = jobs) {
        const isLate = this.#isTooLate(job);
        job.isBegun ||= jobs === long;
        if (isLate) {
          this.#refused++;
          job.refuse();
        } else if (!this.#work(job)) {
          job.slices++;
          if (jobs === urgent || (jobs === long && job.slices % slicesInRow !== 0)) break;
          long.push(job);
          this.#waiting++;
        }
        jobs.shift();
        this.#waiting--;
      }
    }
    queue.isLongNext = !queue.isLongNext;
    queue.served += this.#clock() - (this.#turnEnd ?? this.#clock()) + slice;
    if (urgent.length + short.length + long.length > 0) return;
    this.#queues.delete(tenantId);
    this.#ahead.set(tenantId, queue.served);
  }

  #next(): [string, Queue] | undefined {
    let next: [string, Queue] | undefined;
    for (const entry of this.#queues) if (!next || entry[1].served < next[1].served) next = entry;
    this.#least = next?.[1].served ?? 0;
    for (const [tenantId, served] of this.#ahead) {
      if (!next || served <= this.#least) this.#ahead.delete(tenantId);
    }
    return next;
  }

  #isTooLate({ isBegun, since, within, signal }: Job): boolean {
    const waited = this.#clock() - since;
    return signal?.aborted === true || waited > within || (!isBegun && waited > timeLimit(patience));
  }
}
