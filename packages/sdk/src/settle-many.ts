import type { DerivedDataKey } from './data-keys/derive.ts';
import type { Lease } from './data-keys/lease.ts';
import type { SdkError, Settled } from './errors.ts';

export class Waiting<T> {
  readonly lease: Lease;
  readonly work: (key: DerivedDataKey) => T | Promise<T>;

  constructor(lease: Lease, work: (key: DerivedDataKey) => T | Promise<T>) {
    this.lease = lease;
    this.work = work;
  }
}

interface Task<T> {
  readonly index: number;
  readonly work: Waiting<T>['work'];
}

export async function settleMany<Item, T>(
  items: readonly Item[],
  start: (item: Item) => T | Promise<T> | Waiting<T>,
  use: (lease: Lease, work: (key: DerivedDataKey) => Promise<void>) => Promise<void>,
): Promise<Settled<T>[]> {
  const results = Array.from<Settled<T>>({ length: items.length });
  const tasks = new Map<Lease, Task<T>[]>();
  const fail = (index: number, error: unknown): void => {
    results[index] = { ok: false, error: error as SdkError };
  };
  const settle = (index: number, value: T | Promise<T> | Waiting<T>, pending: Promise<void>[]): void => {
    if (value instanceof Promise) {
      const later = value.then((settled) => void (results[index] = { ok: true, value: settled }));
      pending.push(later.catch((error: unknown) => fail(index, error)));
    } else if (value instanceof Waiting) {
      const others = tasks.get(value.lease);
      const task = { index, work: value.work };
      if (others) others.push(task);
      else tasks.set(value.lease, [task]);
    } else results[index] = { ok: true, value };
  };
  const pending: Promise<void>[] = [];
  for (const [index, item] of items.entries()) {
    try {
      settle(index, start(item), pending);
    } catch (error) {
      fail(index, error);
    }
  }
  for (const [lease, waiting] of tasks) {
    const runAll = async (key: DerivedDataKey): Promise<void> => {
      const running: Promise<void>[] = [];
      for (const { index, work } of waiting) {
        try {
          settle(index, work(key), running);
        } catch (error) {
          fail(index, error);
        }
      }
      await Promise.all(running);
    };
    const failAll = (error: unknown): void => waiting.forEach(({ index }) => fail(index, error));
    pending.push(use(lease, runAll).catch(failAll));
  }
  await Promise.all(pending);
  return results;
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
