// Runs calls with many values, of which each has its own result. Values that wait for one data key continue together.
import { isPromise, requireArray } from '@eaas/protocol/internal';
import type { DerivedDataKey } from '../data-keys/derive.ts';
import type { Lease, UnderKey } from '../data-keys/cache.ts';
import type { SdkError, Settled } from '../errors.ts';

/** An item that waits for its data key. */
export class Waiting<T> {
  readonly lease: Lease;
  readonly run: UnderKey<T>;
  index = 0;

  constructor(lease: Lease, run: UnderKey<T>) {
    this.lease = lease;
    this.run = run;
  }
}

type Started<T> = T | Promise<T> | Waiting<T>;

/** Waits for the data key, and then for the work under it, if the call waits for one. */
export function settleOne<T>(started: Started<T>, signal: AbortSignal | undefined, patience: number) {
  return started instanceof Waiting ? started.lease.use(started.run, signal, patience) : started;
}

export async function settleMany<Item, T>(
  items: readonly Item[],
  start: (item: Item, index: number) => Started<T>,
  signal: AbortSignal | undefined,
  patience: number,
): Promise<Settled<T>[]> {
  requireArray(items);
  const results = Array.from<Settled<T>>({ length: items.length });
  const tasks = new Map<Lease, Waiting<T>[]>();
  const running: Promise<void>[] = [];
  const fail = (index: number, error: unknown): void => {
    results[index] = { ok: false, error: error as SdkError };
  };
  // Makes no promise for work that is done, because thousands of promises take longer than the work itself.
  const settle = <From>(
    index: number,
    work: (from: From, index: number) => Started<T>,
    from: From,
    into = running,
  ) => {
    try {
      const value = work(from, index);
      if (value instanceof Waiting) {
        value.index = index;
        const others = tasks.get(value.lease);
        if (others) others.push(value);
        else tasks.set(value.lease, [value]);
      } else if (isPromise<T>(value)) {
        const settled = (result: T): void => {
          results[index] = { ok: true, value: result };
        };
        into.push(value.then(settled, (error: unknown) => fail(index, error)));
      } else results[index] = { ok: true, value };
    } catch (error) {
      fail(index, error);
    }
  };
  for (let index = 0; index < items.length; index++) settle(index, start, items[index] as Item);
  for (const [lease, waiting] of tasks) {
    const runAll = (key: DerivedDataKey) => {
      const own: Promise<void>[] = [];
      for (const { index, run } of waiting) settle(index, run, key, own);
      return Promise.all(own);
    };
    const failAll = (error: unknown): void => waiting.forEach(({ index }) => fail(index, error));
    running.push(lease.use(runAll, signal, patience).then(undefined, failAll));
  }
  await Promise.all(running);
  return results;
}
