import type { Input, Output, Problem } from '@eaas/protocol/wire';
import { abortable } from './abortable.ts';
import { type EaasError, unreadable } from './errors.ts';
import { type Call, type CallOptions, fromProblem } from './transport.ts';

/** The calls that have a batch of their own. */
type Single = `POST /v1/keys/:key_id/${'wrap' | 'unwrap' | 'rewrap'}` | 'POST /v1/hash';
type In<R extends Single> = Input<R> & object;
type Result<R extends Single> = Output<R> | { readonly error: Problem };

interface Waiting<R extends Single> {
  readonly input: In<R>;
  /** More than its input takes as JSON. */
  readonly bytes: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (output: Output<R>) => void;
  readonly reject: (error: unknown) => void;
}

/** A single call that travels with those made at the same time. Throws EaasError. */
export type Coalesced<R extends Single> = (input: In<R>, options?: CallOptions) => Promise<Output<R>>;

const mostItems = 1_000;
const mostBytes = 7 * 2 ** 20;
const mostFlights = 4;

/**
 * Gathers the calls that are made at the same time, and those made while as many as may be are under way, into batch
 * requests. A service without batches (404, 405) gets single calls.
 */
export function coalesce<R extends Single>(call: Call, route: R, patience = 60_000): Coalesced<R> {
  const batch = `POST /v1/batch/${route.split('/').at(-1)}` as 'POST /v1/batch/hash';
  let waiting: Waiting<R>[] = [];
  let flights = 0;
  let scheduled = false;
  let alone = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || flights === mostFlights) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      flights++;
      void deliver(take()).finally(() => {
        flights = Math.max(0, flights - 1);
        schedule();
      });
      schedule();
    });
  }

  function take(): Waiting<R>[] {
    waiting = waiting.filter(({ signal }) => !signal?.aborted);
    let sum = 0;
    const end = waiting.findIndex(({ bytes }, index) => {
      sum += bytes;
      return index > 0 && (alone || index === mostItems || sum > mostBytes);
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  async function deliver(items: Waiting<R>[]): Promise<void> {
    const [first, second] = items;
    if (!first) return;
    try {
      // One that is alone may be aborted; for the others it travels on.
      if (!second) {
        first.resolve(await call(route, first.input, first));
        return;
      }
      const inputs = items.map(({ input }) => input);
      const { results } = (await call(batch, { items: inputs })) as { results?: unknown[] };
      if (results?.length !== items.length) throw unreadable();
      for (const [index, { resolve, reject }] of items.entries()) {
        // Whoever reads it finds out what is missing.
        const result = Object(results[index]) as Result<R>;
        if ('error' in result) reject(fromProblem(result.error));
        else resolve(result);
      }
    } catch (error) {
      if (second && /^40[45]$/.test(`${(error as EaasError).status}`)) {
        alone = true;
        waiting = [...items, ...waiting];
      } else for (const { reject } of items) reject(error);
    }
  }

  return async (input, { signal } = {}) => {
    const answer = new Promise<Output<R>>((resolve, reject) => {
      // In UTF-8, a UTF-16 unit takes 3 bytes at most.
      const bytes = 3 * JSON.stringify(input).length;
      waiting.push({ input, bytes, signal, resolve, reject });
      schedule();
    });
    try {
      return await abortable(answer, signal, patience);
    } catch (error) {
      // What is under way for so long is gone, and its place is free.
      if ((error as EaasError).code === 'timeout') flights = 0;
      throw error;
    }
  };
}
