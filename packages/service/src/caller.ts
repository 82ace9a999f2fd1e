// Finds out who calls: the holder of an API key, or whom a plugin knows. The way of a call (answer.ts) begins here. What is
// remembered of tokens is harmless, because the row that one names is judged at each call.
import { type Endpoint, endpoints, isApiKey } from '@eaas/protocol/wire';
import { toHex } from '@eaas/protocol/internal';
import { sha256Hex } from '#platform';
import { Remembered } from './ledger/remembered.ts';
import { SharedRead } from './ledger/shared-read.ts';
import type { Owned } from './ledger/store.ts';
import { Tampered, unauthorized, undefinedIf, unreachable } from './rules/refusal.ts';
import { refTo } from './ledger/table.ts';
import { type ApiKeyRow, apiKeys } from './ledger/tables.ts';
import type { Arrival, Caller } from './operation.ts';
import { bearerToken } from './rules/authorize.ts';
import type { Service } from './service.ts';

/** Finds out who sends a request. What it may do is judged later. Throws Refusal 401. */
export function callerOf(service: Service, arrival: Arrival): Caller | Promise<Caller> {
  for (const plugin of service.plugins) {
    const caller = plugin.authenticate?.(arrival, service);
    if (caller) return caller;
  }
  return holderOfToken(service, arrival);
}

function holderOfToken({ tokens, listener }: Service, arrival: Arrival): Caller | Promise<Caller> {
  const token = bearerToken(arrival.authorization);
  // A fast hash is enough, because a token has 256 random bits.
  const name = sha256Hex(token);
  const callerFor = (owned: Owned | undefined): Caller => {
    if (!owned) throw unauthorized();
    const { tenantId, id } = owned;
    listener.used?.(tenantId, id);
    const holder: Caller['holder'] = (view) => {
      // Who changed the row gets no rights.
      const row = undefinedIf(Tampered, () => view.find(apiKeys, id));
      if (row && hashIn(row) === name) return row;
      throw unauthorized();
    };
    return Object.assign(senderOf(arrival), { tenantId, actor: id, needs: [refTo(apiKeys, id)], holder });
  };
  const known = tokens.recall(name);
  if (known) return callerFor(known);
  // A token with a wrong checksum, such as a mistyped one, is refused without a query.
  if (!isApiKey(token)) throw unauthorized();
  return Promise.resolve(tokens.find(name)).then(callerFor);
}

const hashes = new WeakMap<ApiKeyRow, string>();

/** The hash of the token in a row, as hexadecimal characters. */
function hashIn(row: ApiKeyRow): string {
  const known = hashes.get(row) ?? toHex(row.token_hash);
  hashes.set(row, known);
  return known;
}

/** What a request says about a caller, whoever it is. */
export const senderOf = ({ route, origin, ipAddress, signal }: Arrival) => ({
  ipAddress,
  signal,
  asks: { endpoint: endpoints[route] as Endpoint, origin },
});

/** How many unknown names one query looks up. */
const mostAtOnce = 16;
/** The name under which unknown callers share the service, as one tenant. */
export const strangers = 'no tenant';

/** Finds whose a token is, or an issuer's id: a row of a tenant. */
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
