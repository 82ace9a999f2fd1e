// The routes of the API: who calls, its share of this replica, the body, the operation, and the response, by the schemas of the
// endpoint table. app.ts adds them.
import { splitRoute } from '@eaas/protocol/internal-service';
import { type Endpoint, endpoints, type Input, type Route } from '@eaas/protocol/wire';
import { admit, type Arrival, type Caller, confirm, locationOf, Refusal, run } from '@eaas/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Explained } from '../base/explained.ts';
import { traced } from '../base/tracing.ts';
import type { Fair } from '../fair.ts';
import type { Served } from './app.ts';
import { readFields } from './body.ts';
import { allowOrigin } from './cors.ts';
import { send } from './problems.ts';
import { canonicalIp, enter, traceRequest } from './visit.ts';

/** How many bytes of a body cost as much as a request without one. */
const unit = 32 * 1024;
/** What a request costs at most: a tenant has one of these at once, and another has room for many beside its own `takesLong`. */
const mostCost = 33;

/** Serves every endpoint of the table. */
export function serveApi(app: FastifyInstance, served: Served, isClosing: () => boolean): void {
  for (const [route, endpoint] of Object.entries(endpoints) as [Route, Endpoint][]) {
    const { method, path: url } = splitRoute(route);
    const called = { route, endpoint, cost: costOf(route, endpoint) };
    app.route({
      method,
      url,
      config: { isOfApi: true },
      onRequest: traceRequest,
      handler: (request, reply) => handle(served, called, request, reply, isClosing),
    });
  }
}

interface Called {
  readonly route: Route;
  readonly endpoint: Endpoint;
  readonly cost: number;
}

async function handle(
  { service, fair }: Served,
  { route, endpoint, cost }: Called,
  request: FastifyRequest,
  reply: FastifyReply,
  isClosing: () => boolean,
): Promise<FastifyReply> {
  if (isClosing()) throw new Refusal('unavailable', 'The service is stopping: send the request again.');
  const { visit } = request;
  const arrival = arrivalOf(route, request);
  let caller: Caller;
  try {
    caller = visit.caller = await traced('admit', () => admit(service, arrival));
  } catch (error) {
    // A web page can read an error response only if the response has the CORS header. The error `origin_refused` does
    // not get this header, because the page's origin is not allowed to read responses.
    if (!(error instanceof Refusal && error.code === 'origin_refused')) allowOrigin(reply, arrival.origin);
    throw error;
  }
  allowOrigin(reply, arrival.origin);
  const withBody = Math.min(cost + Math.floor(visit.body.bytes / unit), mostCost);
  await traced('admission.wait', () => enter(fair, request, withBody));
  const waited = performance.now() - visit.arrivedAt;
  let input: object;
  try {
    input = await traced('body.read', () => readFields(endpoint, request));
  } catch (error) {
    // What let the caller through can be out of date: one whose API key is revoked learns nothing else.
    await confirm(service, arrival, caller);
    throw error;
  }
  const whole = { ...input, ...(request.params as object) } as Input<Route>;
  // How long the body took is the client's affair.
  const waiting = { ...caller, since: performance.now() - waited };
  const { answer, receipt } = await traced('operation', () => run(service, waiting, route, whole));
  const schema = (caller.isUser && endpoint.userOutput) || endpoint.output;
  const text = await traced('serialize', () => serialize(route, schema, answer, fair, caller.tenantId));
  if (receipt) void reply.header('eaas-entry', `${receipt.id} ${receipt.hash}`);
  if (endpoint.maxAge !== undefined)
    void reply.header('cache-control', `private, max-age=${endpoint.maxAge}`);
  if (endpoint.status === 201) void reply.header('location', locationOf(route, answer));
  return send(reply.code(endpoint.status ?? 200), 'application/json', text);
}

function arrivalOf(route: Route, { raw: { headers }, ip, visit }: FastifyRequest): Arrival {
  const { authorization, origin } = headers;
  const header = (name: string): string | undefined => [headers[name]].flat().join(', ') || undefined;
  return { route, authorization, origin, header, ipAddress: canonicalIp(ip), signal: visit.end };
}

/** What takes long. A tenant has two of them at once, or one beside a list of megabytes. */
const takesLong = /^(GET \/v1\/audit\/verify|POST .*\/export)$/;
/** Lists that can have megabytes. A tenant has one at once. */
const canBeLarge = /^GET \/v1\/(api-keys|issuers)$/;

/** What a call costs beside its body: a wrap 1, and more what takes longer. */
function costOf(route: Route, endpoint: Endpoint): number {
  if (takesLong.test(route)) return 31;
  if (canBeLarge.test(route)) return mostCost;
  return Object.values(endpoint.output.shape).some((field) => field instanceof z.ZodMiniArray) ? 16 : 1;
}

/** Writes an output by its schema, with pauses in what takes long. */
export async function serialize(
  route: string,
  { shape }: Endpoint['output'],
  output: object,
  fair: Pick<Fair, 'isOver' | 'pause'>,
  tenantId: string,
): Promise<string> {
  const members: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const value: unknown = Reflect.get(output, name);
    let text: string | undefined;
    if (field instanceof z.ZodMiniArray && Array.isArray(value)) {
      const items: string[] = [];
      for (const [index, item] of value.entries()) {
        items.push(stringify(route, [name, index], field._zod.def.element, item) ?? 'null');
        if (fair.isOver()) await fair.pause(tenantId);
      }
      text = `[${items.join(',')}]`;
    } else text = stringify(route, [name], field, value);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

function stringify(
  route: string,
  path: readonly PropertyKey[],
  schema: z.core.$ZodType,
  value: unknown,
): string | undefined {
  const { success, data, error } = z.safeParse(schema, value);
  if (success) return JSON.stringify(data);
  // The error has only the path of the field, because the value might be secret.
  const at = [...path, ...(error.issues[0]?.path ?? [])].map(String).join('.');
  throw new Explained(`the output of ${route} does not match its schema at ${at}`);
}
