import { bearerToken, readToken, unauthorized } from '@eaas/protocol/service';
import { parseUuid } from '@eaas/protocol';
import { apiKeyPrefix, endpoints, isApiKey, type Route } from '@eaas/protocol/wire';
import { hashOfToken, type SignInToken } from '../state/sign-ins.ts';
import { hashApiKey } from '../state/tokens.ts';
import { Refusal } from '../base/refusal.ts';
import type { Service } from '../app/service.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import { authorize, type Caller, type Standing } from '../state/caller.ts';
import { available, decide } from '../state/decide.ts';

/** What a request says about its sender, before its body is read. */
export interface Arrival extends Pick<Caller, 'ipAddress' | 'arrivedAt' | 'signal' | 'visit'> {
  readonly route: Route;
  readonly authorization: string | undefined;
  /** The header `Eaas-Issuer`. Node joins repeated ones with a comma, and then it is no UUID. */
  readonly issuer?: string | string[] | undefined;
  readonly origin: string | undefined;
}

/**
 * Admits a request with cached data, because the operation checks the API key again before it responds. Before a
 * refusal, `admit` reads current data.
 */
export async function admit(service: Service, arrival: Arrival): Promise<Caller> {
  const presented = bearerToken(arrival.authorization);
  if (arrival.issuer !== undefined)
    return admitUser(service, arrival, signInToken(arrival.issuer, presented));
  // A token with a wrong checksum, such as a mistyped token, is refused without a database query.
  const tokenHash = hashApiKey(presented);
  if (!service.tenants.tokens.remembers(tokenHash) && !isApiKey(presented)) throw unauthorized();
  if (arrival.route === 'GET /v1/audit/verify') return admitToVerify(service, arrival, tokenHash);
  const { tokens } = service.tenants;
  const found = tokens.cached(tokenHash) ?? (await available(() => tokens.find(tokenHash)));
  if (!found) return refuseStranger(service, arrival);
  const caller = callerOf(arrival, found.apiKey, tokenHash);
  service.used.note(caller);
  return admitCaller(service, caller, found);
}

async function admitUser(service: Service, arrival: Arrival, token: SignInToken): Promise<Caller> {
  const found = await available(() => service.tenants.signIns.find(token, arrival));
  if (!found) return refuseStranger(service, arrival);
  const { tenantId } = found;
  const credential = { token, tokenHash: hashApiKey(token.issuerId), ...askedOf(arrival) };
  return admitCaller(service, { ...senderOf(arrival), tenantId, actor: token.issuerId, credential }, found);
}

async function admitCaller(
  service: Service,
  caller: Caller,
  { view, state, apiKey }: { readonly [Part in keyof Standing]: NonNullable<Standing[Part]> },
): Promise<Caller> {
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

/** Parses what `Eaas-Issuer` and `Authorization` say. An API key is no token of an issuer. */
function signInToken(issuer: string | string[], text: string): SignInToken {
  const issuerId = typeof issuer === 'string' ? parseUuid(issuer) : undefined;
  if (issuerId === undefined || text.startsWith(apiKeyPrefix)) throw unauthorized();
  return { ...readToken(text), issuerId, text, hash: hashOfToken(text) };
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
    ...senderOf(arrival),
    visit: arrival.visit,
    tenantId: apiKey.tenant_id,
    actor: apiKey.api_key_id,
    credential: { tokenHash, ...askedOf(arrival) },
  };
}

const senderOf = ({ ipAddress, arrivedAt, signal }: Arrival) => ({ ipAddress, arrivedAt, signal });
const askedOf = ({ route, origin }: Arrival) => ({ endpoint: endpoints[route], origin });

export async function confirmAdmission(service: Service, caller: Caller): Promise<void> {
  if (caller.isConfirmed) return;
  await decide(service, caller, () => ({ drafts: [], answer: undefined }));
}
