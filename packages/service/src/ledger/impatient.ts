// A store of which nothing is awaited for ever. A store limits its own work; this is for one that has lost a call.
import type { Store } from './store.ts';

/**
 * The store, whose reads and appends have failed after so many milliseconds. What was sent may still be done, but a lock that comes
 * after all deadlines finds nobody to write for.
 */
export function impatient(store: Store, milliseconds: number): Store {
  if (milliseconds === Infinity) return store;
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new Error(`the store did not answer within ${milliseconds} ms`));
      const timer: unknown = setTimeout(giveUp, milliseconds);
      (timer as { unref?: () => void }).unref?.();
      void work.then(resolve, reject).then(() => clearTimeout(timer as number));
    });
  return {
    ...store,
    read: (...all) => inTime(store.read(...all)),
    whose: (names) => inTime(store.whose(names)),
    append: (...all) => inTime(store.append(...all)),
    locked: (...all) => inTime(store.locked(...all)),
  };
}
