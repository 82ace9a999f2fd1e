import { endpoints, isApiKey, type Route } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { hashApiKey } from '../crypto/api-key-token.ts';
import { Refusal } from '../refusal.ts';
import { requireRightClock, type Service } from '../service.ts';
import { authorize, unauthorized } from '../state/authorize.ts';
import { available, decide } from '../state/decide.ts';

/** What is known of a request before its body is read. */
export interface Arrival {
  readonly route: Route;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  readonly ipAddress: string | null;
  readonly arrivedAt: number;
}

/**
 * Lets a request in, or throws: 401, 403 for the origin, the permission or, recorded, the envelope-only tenant. What
 * lets in may be remembered, because the operation asks again; what turns away is made sure of first.
 */
export async function admit(service: Service, arrival: Arrival): Promise<Caller> {
  requireRightClock(service);
  const token = /^Bearer +(\S+) *$/i.exec(arrival.authorization ?? '')?.[1] ?? '';
  // A typing error in a token is found by its checksum, without a query.
  const tokenHash = hashApiKey(token);
  if (!service.tenants.remembers(tokenHash) && !isApiKey(token)) throw unauthorized();
  const found = await available(() => service.tenants.findByToken(tokenHash));
  if (!found) throw unauthorized();
  const { view, apiKey } = found;
  const endpoint = endpoints[arrival.route];
  const caller: Caller = {
    tenantId: view.state.tenant.tenant_id,
    actor: apiKey.api_key_id,
    ipAddress: arrival.ipAddress,
    arrivedAt: arrival.arrivedAt,
    credential: {
      tokenHash,
      permission: endpoint.permission,
      serverMode: 'serverMode' in endpoint,
      origin: arrival.origin,
    },
  };
  service.used.note(caller);
  try {
    authorize(view.state, apiKey, caller, service.clock());
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await confirmAdmission(service, caller);
  }
  return caller;
}

/** Makes sure that who was let in still is, by the state after the request arrived. Throws the 401 or 403 otherwise. */
export async function confirmAdmission(service: Service, caller: Caller): Promise<void> {
  await decide(service, caller, () => ({ drafts: [], answer: undefined }));
}
