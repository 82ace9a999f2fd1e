import { createAdmission } from '../admission.ts';
import { Turns, type TurnOptions } from '../turns.ts';

/**
 * A scheduler for tests, with a simulated clock. Each time the scheduler reads the clock, the clock advances by a
 * quarter of a millisecond. The scheduler reads the clock once after each step of work. While `isHeld` returns true,
 * no work runs, so a test can let several requests wait before the first one runs.
 */
export function heldTurns() {
  const turns = { taken: 0, longest: 0, isHeld: () => false };
  const waiting = new Map<string, number>();
  let now = 0;
  let startedAt = 0;
  const later = (turn: () => void): void => {
    setImmediate(() => {
      if (turns.isHeld()) {
        later(turn);
        return;
      }
      turns.longest = Math.max(turns.longest, now - startedAt);
      turns.taken++;
      startedAt = now;
      turn();
    });
  };
  class WatchedTurns extends Turns {
    override async run<T>(tenantId: string, work: Iterator<undefined, T, undefined>, options?: TurnOptions) {
      const count = (by: number): unknown => waiting.set(tenantId, (waiting.get(tenantId) ?? 0) + by);
      count(1);
      return super.run(tenantId, work, options).finally(() => count(-1));
    }
  }
  const watched = new WatchedTurns(() => (now += 0.25), later);
  return {
    admission: createAdmission(watched),
    turns,
    /**
     * Starts work that always wants another turn, so that no other work starts without waiting for one. The returned
     * function ends this work.
     */
    occupy(): () => Promise<void> {
      const over = new AbortController();
      function* work() {
        while (!over.signal.aborted) yield;
      }
      const ended = watched.run('nobody', work());
      return () => {
        over.abort();
        return ended;
      };
    },
    waitingOf: (tenantId: string): number => waiting.get(tenantId) ?? 0,
    /** Whether work of the tenant waits for a turn. */
    isWaiting: (tenantId: string): boolean => (waiting.get(tenantId) ?? 0) > 0,
    advance: (by: number): void => {
      now += by;
      startedAt += by;
    },
  };
}
