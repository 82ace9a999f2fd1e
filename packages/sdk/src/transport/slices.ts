import type { Steps } from '@eaas/protocol/service';

const longest = 10;

/** Runs a long computation, and pauses after each 10 ms, so that the event loop can handle other events. */
export type Slices = <T>(work: Steps<T>) => Promise<T>;

export function createSlices(pause: () => Promise<void>, now = (): number => performance.now()): Slices {
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
