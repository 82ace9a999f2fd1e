import { busy } from './shares.ts';

type Work<T> = Iterator<undefined, T, undefined>;

export interface TurnOptions {
  readonly signal?: AbortSignal | undefined;
  readonly isBegun?: boolean;
}

interface Job {
  readonly signal: AbortSignal | undefined;
  readonly since: number;
  isBegun: boolean;
  step(): boolean;
  refuse(): void;
}

/** After 4 ms of one tenant's work, the event loop handles waiting I/O. */
const slice = 4;
/** The start of a call counts 0.25 ms, because the rest of the call runs outside the tenant's turn. */
const start = 0.25;
const patience = 2_000;

export class Turns {
  readonly #clock: () => number;
  readonly #later: (turn: () => void) => void;
  readonly #queues = new Map<string, Job[]>();
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

  call<T>(tenantId: string, work: () => T, options?: TurnOptions): Promise<T> {
    return this.run(tenantId, { next: () => ({ done: true, value: work() }) }, options);
  }

  begin(tenantId: string, options?: TurnOptions): Promise<void> {
    const count = (): void => {
      if (this.#turnEnd !== null) this.#turnEnd -= start;
    };
    return this.call(tenantId, count, options);
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
