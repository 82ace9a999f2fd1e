// Finds out who calls, and refuses who may not, before the body of the request is read. Doors call it: HTTP in the server,
// and a function in services inside a process.
import { type Endpoint, endpoints, isApiKey } from '@eaas/protocol/wire';
import { toUtf8 } from '@eaas/protocol';
import { toHex } from '@eaas/protocol/internal';
import { sameBytes, sha256 } from '#platform';
import type { Owned } from './ledger/store.ts';
import { Refusal, Tampered, unauthorized, unless } from './rules/refusal.ts';
import { refTo } from './ledger/table.ts';
import { apiKeys } from './ledger/tables.ts';
import { decisionOf, settle } from './operate.ts';
import type { Arrival, Caller, Part } from './operation.ts';
import { bearerToken } from './rules/authorize.ts';
import type { Service } from './service.ts';

/** A part that adds nothing: what is left is whether the caller may call. */
const nothing: Part<object> = { by: 'append', judge: () => ({ entries: [], answer: {} }) };

/**
 * Finds out who sends a request. Throws Refusal 401, and 403 as far as no body is needed to judge. The call is judged again
 * with its operation, so a guess is enough to let it through.
 */
export async function admit(service: Service, arrival: Arrival): Promise<Caller> {
  const found = knownByPlugin(service, arrival) ?? holderOfToken(service, arrival);
  const caller = found instanceof Promise ? await found : found;
  const guessed = service.ledger.glance(caller.tenantId, decisionOf(caller, nothing));
  if (!guessed || guessed.answer instanceof Refusal) await confirm(service, arrival, caller);
  return caller;
}

/** Judges by the rows of the database whether the caller may call. Throws Refusal. */
export async function confirm(service: Service, { route }: Arrival, caller: Caller): Promise<void> {
  // The audit log is verified even if its head is not as the service wrote it.
  const by = route === 'GET /v1/audit/verify' ? 'rows' : 'append';
  await settle(service, caller, { ...nothing, by });
}

function knownByPlugin(service: Service, arrival: Arrival): Promise<Caller> | undefined {
  for (const plugin of service.plugins) {
    const caller = plugin.authenticate?.(arrival, service);
    if (caller) return caller;
  }
  return undefined;
}

function holderOfToken({ tokens, listener }: Service, arrival: Arrival): Caller | Promise<Caller> {
  const token = bearerToken(arrival.authorization);
  // A fast hash is enough, because a token has 256 random bits.
  const hash = sha256(toUtf8(token));
  const name = toHex(hash);
  const callerOf = (owned: Owned | undefined): Caller => {
    if (!owned) throw unauthorized();
    const { tenantId, id } = owned;
    listener.used?.(tenantId, id);
    return {
      ...senderOf(arrival),
      tenantId,
      actor: id,
      needs: [refTo(apiKeys, id)],
      holder: (view) => {
        // Who changed the row gets no rights.
        const row = unless(Tampered, () => view.find(apiKeys, id));
        if (row && sameBytes(row.token_hash, hash)) return row;
        tokens.forget(name);
        throw unauthorized();
      },
    };
  };
  const known = tokens.recall(name);
  if (known) return callerOf(known);
  // A token with a wrong checksum, such as a mistyped one, is refused without a query.
  if (!isApiKey(token)) throw unauthorized();
  return Promise.resolve(tokens.find(name)).then(callerOf);
}

/** What a request says about a caller, whoever it is. */
export const senderOf = ({ route, origin, ipAddress, signal }: Arrival) => ({
  ipAddress,
  signal,
  asks: { endpoint: endpoints[route] as Endpoint, origin },
});
