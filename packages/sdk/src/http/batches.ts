// Sends concurrent calls of a route as batches.
import { utf8Length } from '@eaas/protocol/internal';
import type { Input, Output, Problem } from '@eaas/protocol/wire';
import { ServiceError, unreadable } from '../errors.ts';
import { abortable, later } from './abortable.ts';
import type { Call, CallOptions, Patience } from './transport.ts';

export type Single = `POST /v1/keys/:key_id/${'wrap' | 'unwrap' | 'rewrap'}` | 'POST /v1/hash';
type In<R extends Single> = Input<R> & object;

export interface QueueOptions extends CallOptions {
  /** The calls that wait for an item, if they can send several. It is not sent after all of them have failed. */
  readonly callers?: Iterable<{ failure?: unknown }>;
}

interface Waiting<R extends Single> extends CallOptions, Required<Pick<QueueOptions, 'callers'>> {
  readonly input: In<R>;
  readonly bytes: number;
  readonly resolve: (output: Output<R>) => void;
  readonly reject: (error: unknown) => void;
  retries: number;
  /** Whether the call has ended, perhaps by its time limit. */
  readonly isDone: boolean;
}

const userOf = ({ input }: Waiting<Single>): string | undefined => (input as { readonly user?: string }).user;

// The service accepts 2 MiB. This limit is lower, because the response to a smaller batch arrives earlier.
const maxBytes = 2 ** 20;
const maxFlights = 4;

/** Status 429 is not retried: it means that a quota is used up. */
export const retried: readonly number[] = [500, 502, 503, 504];

export const backoff = (retry: number): number => Math.random() * Math.min(2_000, 150 * 2 ** retry);

/** Sends concurrent calls of a route as batches. */
export function coalesce<R extends Single>(call: Call, route: R, patience: Patience) {
  const batch = `POST /v1/batch/${route.split('/').at(-1)}` as 'POST /v1/batch/hash';
  const flights = new Set<{ readonly start: number }>();
  let waiting = new Set<Waiting<R>>();
  let isScheduled = false;
  /** 1 for a service without batches. */
  let maxItems = 1_000;

  function schedule(): void {
    if (isScheduled || waiting.size === 0) return;
    // Removes batches that are older than the time limit of a call. An edge platform can freeze a batch. A frozen batch
    // never ends, and would count towards the limit `maxFlights` forever.
    const longAgo = Date.now() - patience.total;
    for (const flight of flights) if (flight.start <= longAgo) flights.delete(flight);
    if (flights.size >= maxFlights) return;
    isScheduled = true;
    // Uses a promise instead of `queueMicrotask`, because the fake timers of Jest replace `queueMicrotask`.
    void Promise.resolve().then(depart);
  }

  function depart(): void {
    isScheduled = false;
    const flight = { start: Date.now() };
    flights.add(flight);
    void deliver(take()).finally(() => {
      flights.delete(flight);
      schedule();
    });
    schedule();
  }

  /** Takes the items of the next request, all of one user. */
  function take(): Waiting<R>[] {
    const taken: Waiting<R>[] = [];
    let sum = 0;
    for (const item of waiting) {
      if (userOf(item) !== userOf(taken[0] ?? item)) continue;
      if (taken.length === maxItems || (sum > 0 && sum + item.bytes > maxBytes)) break;
      waiting.delete(item);
      const failures = Array.from(item.callers, ({ failure }) => failure);
      if (failures[0] && failures.every(Boolean)) item.reject(failures[0]);
      else if (!item.isDone && !item.signal?.aborted) {
        taken.push(item);
        sum += item.bytes;
      }
    }
    return taken;
  }

  async function deliver(items: Waiting<R>[]): Promise<void> {
    const [first, second] = items;
    if (!first) return;
    try {
      // A request with several items gets no signal, because aborting the batch would abort the calls of other callers.
      if (!second) {
        first.resolve(await call(route, first.input, first));
        return;
      }
      const user = userOf(first);
      // The service returns the reference of an item in its result. The first is random, so that two batches differ.
      const start = (Math.random() * 2 ** 32) >>> 0;
      const referenceOf = (index: number): string => `${start + index}`;
      const inputs = items.map(({ input }, index) => {
        // The user of a batch is sent once, and not with each item.
        return { ...input, ...(user && { user: undefined }), reference: referenceOf(index) };
      });
      const { results } = await call(batch, { items: inputs, ...(user && { user }) });
      const isInOrder = results.every(({ reference }, index) => reference === referenceOf(index));
      if (results.length !== items.length || !isInOrder) throw unreadable();
      const passing = items.filter((item, index) => {
        const result = results[index] as Output<R> | { readonly error: Problem };
        if (!('error' in result)) {
          item.resolve(result);
          return false;
        }
        const { code, detail, status } = result.error;
        const error = new ServiceError(code, detail, { status });
        const isPassing = retried.includes(status) && item.retries++ < patience.retries;
        if (!isPassing) item.reject(error);
        return isPassing;
      });
      const [again] = passing;
      if (again) later(backoff(again.retries), () => enqueue(passing));
    } catch (error) {
      if (second && /^40[45]$/.test(`${(error as ServiceError).status}`)) {
        maxItems = 1;
        waiting = new Set([...items, ...waiting]);
      } else {
        for (const { reject, callers } of items) {
          // A request with several items does not fail because of one of them.
          if (second) for (const caller of callers) caller.failure = error;
          reject(error);
        }
      }
    }
  }

  function enqueue(items: readonly Waiting<R>[]): void {
    for (const item of items) waiting.add(item);
    schedule();
  }

  return async (input: In<R>, options: QueueOptions = {}): Promise<Output<R>> => {
    const bytes = utf8Length(JSON.stringify(input)) + referenceBytes;
    const item = { callers: [], ...options, input, bytes, retries: 0, isDone: false };
    const output = new Promise<Output<R>>((resolve, reject) => {
      enqueue([Object.assign(item, { resolve, reject })]);
    });
    return abortable(output, options.signal, patience.total).finally(() => {
      item.isDone = true;
    });
  };
}

/** The maximum number of bytes that a reference adds to an item. It has at most ten digits. */
const referenceBytes = 25;
