import { abortable } from './abortable.ts';
import type { DerivedDataKey } from './data-keys/derive.ts';
import type { Lease } from './data-keys/lease.ts';
import type { SdkError, Settled } from './errors.ts';
import { requireArray } from './require-options.ts';
import type { CallOptions } from './transport.ts';

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
  options: CallOptions,
  patience: number,
): Promise<Settled<T>[]> {
  requireArray(items);
  const results = Array.from<Settled<T>>({ length: items.length });
  const tasks = new Map<Lease, Task<T>[]>();
  const pending: Promise<void>[] = [];
  const fail = (index: number, error: unknown): void => {
    results[index] = { ok: false, error: error as SdkError };
  };
  const settle = (index: number, value: T | Promise<T> | Waiting<T>, running: Promise<void>[]): void => {
    if (value instanceof Promise) {
      const later = value.then((settled) => void (results[index] = { ok: true, value: settled }));
      running.push(later.catch((error: unknown) => fail(index, error)));
    } else if (value instanceof Waiting) {
      const others = tasks.get(value.lease);
      const task = { index, work: value.work };
      if (others) others.push(task);
      else tasks.set(value.lease, [task]);
    } else results[index] = { ok: true, value };
  };
  const runAll = (lease: Lease, waiting: Task<T>[], key: DerivedDataKey): void => {
    // The call has stopped waiting for this data key.
    if (!tasks.delete(lease)) return;
    const running: Promise<void>[] = [];
    for (const { index, work } of waiting) {
      try {
        settle(index, work(key), running);
      } catch (error) {
        fail(index, error);
      }
    }
    if (running.length === 0) lease.leave();
    else pending.push(Promise.all(running).then(() => lease.leave()));
  };
  const failAll = (lease: Lease, waiting: Task<T>[], error: unknown): void => {
    if (!tasks.delete(lease)) return;
    for (const { index } of waiting) fail(index, error);
    lease.leave(error);
  };
  for (const [index, item] of items.entries()) {
    try {
      settle(index, start(item), pending);
    } catch (error) {
      fail(index, error);
    }
  }
  if (tasks.size > 0) {
    const arrivals = Array.from(tasks, ([lease, waiting]) =>
      lease.enter().then(
        (key) => runAll(lease, waiting, key),
        (error: unknown) => failAll(lease, waiting, error),
      ),
    );
    await abortable(Promise.all(arrivals), options.signal, patience).catch((error: unknown) => {
      for (const [lease, waiting] of tasks) failAll(lease, waiting, error);
    });
  }
  await Promise.all(pending);
  return results;
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
