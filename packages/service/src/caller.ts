// Finds out who calls: the holder of an API key, or whom a plugin knows. The way of a call (answer.ts) begins here.
import { type Endpoint, endpoints, isApiKey } from '@eaas/protocol/wire';
import { toHex } from '@eaas/protocol/internal';
import { sha256Hex } from '#platform';
import type { Owned } from './ledger/store.ts';
import { Tampered, unauthorized, unless } from './rules/refusal.ts';
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
      const row = unless(Tampered, () => view.find(apiKeys, id));
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
