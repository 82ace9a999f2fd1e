import { isPromise } from '@eaas/protocol/internal';
import { requireArray } from '@eaas/protocol/internal-options';
import { abortable } from '../transport/abortable.ts';
import type { DerivedDataKey } from '../data-keys/derive.ts';
import type { Lease } from '../data-keys/lease.ts';
import type { SdkError, Settled } from '../errors.ts';
import type { CallOptions } from '../transport/transport.ts';

/** An item that waits for its data key. */
export class Waiting<T> {
  readonly lease: Lease;
  readonly run: (key: DerivedDataKey) => T | Promise<T>;
  index = 0;

  constructor(lease: Lease, run: (key: DerivedDataKey) => T | Promise<T>) {
    this.lease = lease;
    this.run = run;
  }
}

export async function settleMany<Item, T>(
  items: readonly Item[],
  start: (item: Item) => T | Promise<T> | Waiting<T>,
  options: CallOptions,
  patience: number,
): Promise<Settled<T>[]> {
  requireArray(items);
  const results = Array.from<Settled<T>>({ length: items.length });
  const tasks = new Map<Lease, Waiting<T>[]>();
  const pending: Promise<void>[] = [];
  const succeed = (index: number, value: T): void => {
    results[index] = { ok: true, value };
  };
  const fail = (index: number, error: unknown): void => {
    results[index] = { ok: false, error: error as SdkError };
  };
  const settle = (index: number, value: T | Promise<T> | Waiting<T>, running: Promise<void>[]): void => {
    if (isPromise<T>(value)) {
      const ended = value.then(
        (settled) => succeed(index, settled),
        (error: unknown) => fail(index, error),
      );
      running.push(ended);
    } else if (value instanceof Waiting) {
      const others = tasks.get(value.lease);
      value.index = index;
      if (others) others.push(value);
      else tasks.set(value.lease, [value]);
    } else succeed(index, value);
  };
  const runAll = (lease: Lease, waiting: Waiting<T>[], key: DerivedDataKey): void => {
    // Does nothing if a timeout or an abort has already failed the items that wait for this data key.
    if (!tasks.delete(lease)) return;
    const running: Promise<void>[] = [];
    for (const task of waiting) {
      try {
        settle(task.index, task.run(key), running);
      } catch (error) {
        fail(task.index, error);
      }
    }
    if (running.length === 0) lease.leave();
    else pending.push(Promise.all(running).then(() => lease.leave()));
  };
  const failAll = (lease: Lease, waiting: Waiting<T>[], error: unknown): void => {
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
