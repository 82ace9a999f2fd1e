import type { Steps } from '@eaas/protocol/service';
import { nextTurn } from '#blind-hash';

const longest = 10;

/** Runs steps. Yields to the event loop after each 10 ms of work. */
export type Slices = <T>(work: Steps<T>) => Promise<T>;

export function createSlices(now: () => number = () => performance.now(), pause = nextTurn): Slices {
  let end = now() + longest;
  return async (work) => {
    for (;;) {
      if (now() >= end) {
        await pause();
        end = now() + longest;
      }
      const { done, value } = work.next();
      if (done) return value;
    }
  };
}
