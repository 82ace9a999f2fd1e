import type { Input, Output, Problem } from '@eaas/protocol/wire';
import { abortable } from './abortable.ts';
import { type EaasError, unreadable } from './errors.ts';
import { type Call, type CallOptions, fromProblem } from './transport.ts';

/** The calls that have a batch of their own. */
const routes = {
  wrap: 'POST /v1/keys/:key_id/wrap',
  unwrap: 'POST /v1/keys/:key_id/unwrap',
  rewrap: 'POST /v1/keys/:key_id/rewrap',
  hash: 'POST /v1/hash',
} as const;

type Verb = keyof typeof routes;
type In<V extends Verb> = Input<(typeof routes)[V]> & object;
type Out<V extends Verb> = Output<(typeof routes)[V]>;
type Result<V extends Verb> = Out<V> | { readonly error: Problem };

interface Waiting<V extends Verb> {
  readonly input: In<V>;
  /** More than its input takes as JSON. */
  readonly bytes: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (output: Out<V>) => void;
  readonly reject: (error: unknown) => void;
}

/** A single call that travels with those made at the same time. Throws EaasError. */
export type Coalesced<V extends Verb> = (input: In<V>, options?: CallOptions) => Promise<Out<V>>;

const mostItems = 1_000;
const mostBytes = 7 * 2 ** 20;
const mostFlights = 4;

/**
 * Gathers the calls that are made at the same time, and those made while as many as may be are under way, into batch
 * requests. A service without batches (404, 405) gets single calls.
 */
export function coalesce<V extends Verb>(call: Call, verb: V): Coalesced<V> {
  let waiting: Waiting<V>[] = [];
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
        flights--;
        schedule();
      });
      schedule();
    });
  }

  function take(): Waiting<V>[] {
    waiting = waiting.filter(({ signal }) => !signal?.aborted);
    let sum = 0;
    const end = waiting.findIndex(({ bytes }, index) => {
      sum += bytes;
      return index > 0 && (alone || index === mostItems || sum > mostBytes);
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  async function deliver(items: Waiting<V>[]): Promise<void> {
    const [first, second] = items;
    if (!first) return;
    try {
      // One that is alone may be aborted; for the others it travels on.
      if (!second) {
        first.resolve(await call(routes[verb], first.input, first));
        return;
      }
      const inputs = items.map(({ input }) => input);
      const { results } = (await call(`POST /v1/batch/${verb}`, { items: inputs } as never)) as {
        results?: Result<V>[];
      };
      if (results?.length !== items.length) throw unreadable();
      for (const [index, { resolve, reject }] of items.entries()) {
        // Whoever reads it finds out what is missing.
        const result = Object(results[index]) as Result<V>;
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

  return (input, { signal } = {}) =>
    abortable(
      new Promise((resolve, reject) => {
        // In UTF-8, a UTF-16 unit takes 3 bytes at most.
        const bytes = 3 * JSON.stringify(input).length;
        waiting.push({ input, bytes, signal, resolve, reject });
        schedule();
      }),
      signal,
    );
}
