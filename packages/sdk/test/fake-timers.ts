import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';

const inside = new AsyncLocalStorage<true>();

/**
 * Runs `work` with fake timers, and passes the pending timers that `work` has set. `vi.getTimerCount()` also counts
 * timers of other tests in the same process, such as those of a server that is still closing.
 */
export async function withFakeTimers(work: (timers: ReadonlySet<unknown>) => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const timers = new Set<unknown>();
  vi.stubGlobal('setTimeout', (callback: () => void, delay: number) => {
    const timer = set(() => {
      timers.delete(timer);
      callback();
    }, delay);
    // A service in this process has a timer of ten minutes, and a client none of over five.
    if (inside.getStore() && delay <= 300_000) timers.add(timer);
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer: ReturnType<typeof set>) => {
    timers.delete(timer);
    clear(timer);
  });
  try {
    await inside.run(true, () => work(timers));
  } finally {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  }
}
