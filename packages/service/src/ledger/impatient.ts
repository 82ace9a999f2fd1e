// A store of which nothing is awaited for ever. A store limits its own work; this is for one that has lost a call.
import type { LockedTenant, Store } from './store.ts';

/** The store, whose reads and appends have failed after so many milliseconds. What was sent may still be done. */
export function impatient(store: Store, milliseconds: number): Store {
  if (milliseconds === Infinity) return store;
  const silent = `the store did not answer within ${milliseconds} ms`;
  const inTime = <T>(work: Promise<T>, giveUp = (): void => {}): Promise<T> =>
    new Promise((resolve, reject) => {
      const timer: unknown = setTimeout(() => {
        giveUp();
        reject(new Error(silent));
      }, milliseconds);
      (timer as { unref?: () => void }).unref?.();
      void work.then(resolve, reject).then(() => clearTimeout(timer as number));
    });
  return {
    ...store,
    read: (...all) => inTime(store.read(...all)),
    whose: (names) => inTime(store.whose(names)),
    append: (...all) => inTime(store.append(...all)),
    locked(tenantId, needs, lost, work, deadline) {
      let isOver = false;
      const unlessOver = (known: LockedTenant) => {
        if (isOver) throw new Error(silent);
        return work(known);
      };
      return inTime(store.locked(tenantId, needs, lost, unlessOver, deadline), () => (isOver = true));
    },
  };
}
