// Finds whose a token is, or an issuer's id: a row of a tenant. The way of a call (caller.ts) asks for tokens, plugins for their ids.
// What is remembered is harmless, because the row that it names is judged at each call.
import { Remembered } from './ledger/remembered.ts';
import type { Owned } from './ledger/store.ts';
import { type Refusal, unreachable } from './rules/refusal.ts';
import type { Service } from './service.ts';

/** How many unknown names one query looks up. */
const mostAtOnce = 16;
/** The name under which unknown callers share the service, as one tenant. */
export const strangers = 'no tenant';

/** Callers who wait for the same name. */
interface Wait {
  readonly since: number;
  readonly settle: (found: Owned | undefined, refusal?: Refusal) => void;
  readonly found: Promise<Owned | undefined>;
}

export type Tokens = ReturnType<typeof tokensOf>;

/** `patience`: how long a name waits at most for its query to begin, in milliseconds. Stores end their queries themselves. */
export function tokensOf(
  { store, fair, listener }: Pick<Service, 'store' | 'fair' | 'listener'>,
  patience: number,
) {
  const known = new Remembered<Owned>(100_000);
  const waiting = new Map<string, Wait>();
  let isLooking = false;

  /** Callers share a query only if it has not begun, so that nobody misses what existed when they called. */
  function lookUp(name: string): Promise<Owned | undefined> {
    const wait = waiting.get(name) ?? beginWait();
    waiting.set(name, wait);
    if (!isLooking) void look();
    return wait.found;
  }

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.size > 0) {
      if (fair.isOver()) await fair.pause(strangers);
      const batch = [...waiting].slice(0, mostAtOnce);
      for (const [name] of batch) waiting.delete(name);
      const late = performance.now() - patience;
      try {
        const found = await store.whose(batch.filter(([, { since }]) => since > late).map(([name]) => name));
        for (const [name, owned] of found) known.set(name, owned);
        for (const [name, { since, settle }] of batch)
          settle(found.get(name), since > late ? undefined : unreachable());
      } catch (error) {
        listener.failed?.(error, strangers, 'look-up');
        // Those who came meanwhile would wait for the same fault.
        for (const [, { settle }] of [...batch, ...waiting]) settle(undefined, unreachable(error));
        waiting.clear();
      }
    }
    isLooking = false;
  }

  return {
    /**
     * Finds the row that the hash of a token names, in hexadecimal characters, or an issuer's id. What does not exist is
     * looked up at each call, so that it is found as soon as it exists. Throws Refusal 503.
     */
    find: (name: string): Owned | Promise<Owned | undefined> => known.get(name) ?? lookUp(name),
    /** What was found before. */
    recall: (name: string): Owned | undefined => known.get(name),
  };
}

function beginWait(): Wait {
  let settle: Wait['settle'] = () => {};
  const found = new Promise<Owned | undefined>((resolve, reject) => {
    settle = (owned, refusal) => (refusal ? reject(refusal) : resolve(owned));
  });
  return { since: performance.now(), found, settle };
}
