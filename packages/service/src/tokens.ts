// Finds whose a token is, or an issuer's id: a row of a tenant. The way of a call (caller.ts) asks for tokens, plugins for their ids.
// What is remembered is harmless, because the row that it names is judged at each call.
import { Remembered } from './ledger/remembered.ts';
import { SharedRead } from './ledger/shared-read.ts';
import type { Owned } from './ledger/store.ts';
import { unreachable } from './rules/refusal.ts';
import type { Service } from './service.ts';

/** How many unknown names one query looks up. */
const mostAtOnce = 16;
/** The name under which unknown callers share the service, as one tenant. */
export const strangers = 'no tenant';

export type Tokens = ReturnType<typeof tokensOf>;

/** `patience`: how long a name waits at most for its query to begin, in milliseconds. Stores end their queries themselves. */
export function tokensOf(
  { store, fair, listener }: Pick<Service, 'store' | 'fair' | 'listener'>,
  patience: number,
) {
  const known = new Remembered<Owned>(100_000);
  /** Finds nothing if it begins too late: those who asked have left. */
  const reads = new SharedRead(
    async (names: readonly string[], since) => {
      if (fair.isOver()) await fair.pause(strangers);
      if (performance.now() - since >= patience) return undefined;
      try {
        const found = await store.whose(names);
        for (const [name, owned] of found) known.set(name, owned);
        return found;
      } catch (error) {
        listener.failed?.(error, strangers, 'look-up');
        throw unreachable(error);
      }
    },
    0,
    mostAtOnce,
  );

  async function lookUp(name: string): Promise<Owned | undefined> {
    const found = await reads.run([name]);
    if (!found) throw unreachable();
    return found.get(name);
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
