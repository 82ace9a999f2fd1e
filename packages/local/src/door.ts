import {
  authorize,
  bearerToken,
  bodyTooLarge,
  checkBody,
  findRoute,
  finish,
  locationOf,
  methodsAt,
  parseBody,
  readQuery,
  Refusal,
  refusalOutcome,
  requireBodyType,
  takesFields,
  tenantDraft,
  unauthorized,
} from '@eaas/protocol/service';
import {
  type Endpoint,
  type Input,
  limits,
  type Output,
  type Problem,
  type Route,
} from '@eaas/protocol/wire';
import { apiKeyOperations } from './api-keys.ts';
import { auditOperations } from './audit.ts';
import { dataKeyOperations } from './data-keys.ts';
import { issuerOperations } from './issuers.ts';
import { hasDueKeys, keyChanges, keyOperations, settleDueKeys } from './keys.ts';
import { createsSubject, subjectOperations } from './subjects.ts';
import { type ApiKey, type TenantCall, callBy, type Operations, record, type Tenant } from './tenant.ts';

const minute = 60_000;

const operations: Operations = {
  ...keyOperations,
  ...dataKeyOperations,
  ...subjectOperations,
  ...auditOperations,
  ...apiKeyOperations,
  ...issuerOperations,
};

export async function respondTo(
  tenant: Tenant,
  request: Request,
  body: Uint8Array,
  instead?: Problem,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  let call: TenantCall | undefined;
  try {
    const { route, endpoint, parameters } = findRoute(request.method, pathname);
    if (instead) return respond(instead.status, instead);
    if (!tenant.isComplete) requireRouteOfLocalService(route);
    await settle(tenant);
    const admitted = (call = callOf(tenant, request.headers));
    admit(admitted, endpoint, request.headers);
    const input = { ...readInput(endpoint, request, body), ...parameters };
    const work = () => operate(route, admitted, input);
    const output = endpoint.output.parse(
      await (isChange(tenant, route, input) ? tenant.storage?.change(work) : work()),
    );
    const { status = 200, maxAge } = endpoint;
    return respond(status, output, {
      ...receiptIn(call),
      ...(status === 201 && { location: locationOf(route, output) }),
      ...(maxAge !== undefined && { 'cache-control': `private, max-age=${maxAge}` }),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { problem } = error;
    const allow = problem.status === 405 ? { allow: methodsAt(pathname).join(', ') } : {};
    return respond(problem.status, problem, { ...receiptIn(call), ...allow });
  } finally {
    noteUse(tenant, request.headers);
  }
}

/** Whether the call changes what the key file has. */
function isChange(tenant: Tenant, route: Route, input: object): boolean {
  if (!tenant.storage) return false;
  return (
    Object.hasOwn(keyChanges, route) ||
    route === 'POST /v1/subjects/erase' ||
    createsSubject(tenant, route, input)
  );
}

async function settle(tenant: Tenant): Promise<void> {
  const { storage } = tenant;
  if (!storage) return settleDueKeys(tenant);
  storage.refresh();
  if (hasDueKeys(tenant)) await storage.change(() => settleDueKeys(tenant));
}

function requireRouteOfLocalService(route: Route): void {
  if (!/audit|api-keys|issuers|usage|crypt$/.test(route)) return;
  const detail =
    'A local service has no audit log, no API keys, no issuers, no usage and no server mode. For these, start a server, and move ' +
    'the key file into it with `eaas import`: no value needs to be encrypted again.';
  throw new Refusal('not_found', detail);
}

function callOf(tenant: Tenant, headers: Headers): TenantCall & { readonly apiKey: ApiKey } {
  const apiKey = findApiKey(tenant, headers);
  if (!apiKey) throw unauthorized();
  return { ...callBy(tenant, apiKey), apiKey };
}

function admit(call: ReturnType<typeof callOf>, endpoint: Endpoint, headers: Headers): void {
  const { tenant, apiKey, time } = call;
  const asked = { endpoint, origin: headers.get('origin') ?? undefined };
  try {
    authorize(apiKey, asked, { envelopeOnly: tenant.settings.envelope_only, time });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'envelope_only')
      record(call, tenantDraft('envelope_only.refused', refusalOutcome(error)));
    throw error;
  }
}

function receiptIn(call: TenantCall | undefined): { readonly 'eaas-entry'?: string } {
  const receipt = call?.receipt;
  return receipt ? { 'eaas-entry': `${receipt.id} ${receipt.hash}` } : {};
}

function noteUse(tenant: Tenant, headers: Headers): void {
  const apiKey = findApiKey(tenant, headers);
  const last_used_at = Math.floor(tenant.clock() / minute) * minute;
  if (apiKey) tenant.apiKeys.set(apiKey.api_key_id, { ...apiKey, last_used_at });
}

function findApiKey({ apiKeys }: Tenant, headers: Headers): ApiKey | undefined {
  const token = bearerToken(headers.get('authorization'));
  return Array.from(apiKeys.values()).find((apiKey) => apiKey.token === token);
}

function operate<R extends Route>(route: R, call: TenantCall, input: object): Output<R> | Promise<Output<R>> {
  return operations[route](call, input as Input<R>);
}

function readInput(endpoint: Endpoint, { url, headers }: Request, body: Uint8Array): object {
  if (body.length > 0) {
    const [type, encoding] = [headers.get('content-type'), headers.get('content-encoding')];
    requireBodyType({ type, encoding }, takesFields(endpoint));
  }
  if (body.length > limits.body) throw bodyTooLarge(limits.body);
  const parsed = body.length === 0 ? {} : finish(parseBody(endpoint, body));
  return { ...readQuery(endpoint, new URL(url).search), ...checkBody(endpoint, parsed) };
}

function respond(status: number, body: object, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'cache-control': 'no-store',
      'content-type': status < 400 ? 'application/json' : 'application/problem+json',
      vary: 'Origin',
      'x-request-id': crypto.randomUUID(),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(status === 503 && { 'retry-after': '1' }),
      ...more,
    },
  });
}
