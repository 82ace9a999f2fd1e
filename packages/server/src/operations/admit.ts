import { bearerToken, unauthorized } from '@eaas/protocol/service';
import { endpoints, isApiKey, type Route } from '@eaas/protocol/wire';
import { hashApiKey } from '../state/tokens.ts';
import { Refusal } from '../base/refusal.ts';
import type { Service } from '../app/service.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import { authorize, type Caller } from '../state/caller.ts';
import { available, decide } from '../state/decide.ts';

/** What a request says about its sender, before its body is read. */
export interface Arrival extends Pick<Caller, 'ipAddress' | 'arrivedAt' | 'signal'> {
  readonly route: Route;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Admits a request with cached data, because the operation checks the API key again before it responds. Before a
 * refusal, `admit` reads current data.
 */
export async function admit(service: Service, arrival: Arrival): Promise<Caller> {
  const token = bearerToken(arrival.authorization);
  // A token with a wrong checksum, such as a mistyped token, is refused without a database query.
  const tokenHash = hashApiKey(token);
  if (!service.tenants.tokens.remembers(tokenHash) && !isApiKey(token)) throw unauthorized();
  if (arrival.route === 'GET /v1/audit/verify') return admitToVerify(service, arrival, tokenHash);
  const { tokens } = service.tenants;
  const found = tokens.cached(tokenHash) ?? (await available(() => tokens.find(tokenHash)));
  if (!found) return refuseStranger(service, arrival);
  const { view, state, apiKey } = found;
  const caller = callerOf(arrival, apiKey, tokenHash);
  service.used.note(caller);
  try {
    authorize(state, apiKey, caller, service.clock.now());
    return { ...caller, admitted: { view, state, apiKey } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await service.admission.turns.begin(caller.tenantId, caller);
    await confirmAdmission(service, caller);
    return caller;
  }
}

async function admitToVerify(service: Service, arrival: Arrival, tokenHash: Uint8Array): Promise<Caller> {
  const found = await available(() => service.tenants.tokens.read(tokenHash));
  if (!found) return refuseStranger(service, arrival);
  const caller = callerOf(arrival, found.apiKey, tokenHash);
  service.used.note(caller);
  authorize(found, found.apiKey, caller, found.time);
  return { ...caller, isConfirmed: true };
}

/** Waits for a turn, because one query can look up a thousand API keys that do not exist. */
async function refuseStranger({ admission }: Service, { signal }: Arrival): Promise<never> {
  await admission.turns.begin('no tenant', { signal });
  throw unauthorized();
}

function callerOf(arrival: Arrival, apiKey: ApiKeyRow, tokenHash: Uint8Array): Caller {
  return {
    tenantId: apiKey.tenant_id,
    actor: apiKey.api_key_id,
    ipAddress: arrival.ipAddress,
    arrivedAt: arrival.arrivedAt,
    signal: arrival.signal,
    credential: { tokenHash, endpoint: endpoints[arrival.route], origin: arrival.origin },
  };
}

export async function confirmAdmission(service: Service, caller: Caller): Promise<void> {
  if (caller.isConfirmed) return;
  await decide(service, caller, () => ({ drafts: [], answer: undefined }));
}
