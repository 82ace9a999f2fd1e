import { checkBody, finish, locationOf, readQuery, routes, splitRoute } from '@eaas/protocol/service';
import type { Endpoint, Input, Route } from '@eaas/protocol/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CallEnd, type EndSignal } from '../base/call-end.ts';
import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/refusal.ts';
import { traced } from '../base/tracing.ts';
import { readJsonBody } from './body.ts';
import { canonicalIp } from './client-ip.ts';
import { allowOrigin } from './cors.ts';
import type { Doors } from './doors.ts';
import { send } from './problems.ts';
import { traceRequest } from './request-span.ts';
import { hasList, hasLongText, serialize } from './serialize.ts';

export function serveApi(app: FastifyInstance, doors: Doors, isClosing: () => boolean): void {
  const { turns, shares } = doors.admission;
  for (const [route, endpoint] of routes) {
    const { method, path: url } = splitRoute(route);
    const isList = hasList(endpoint.output);
    const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (isClosing()) throw new Refusal('unavailable', 'The service is stopping: send the request again.');
      const signal = endOf(reply);
      const caller = await traced('admit', () => admit(doors, route, request, reply, signal));
      const { tenantId } = caller;
      await traced('admission.wait', () => turns.begin(tenantId, { signal }));
      const owner = { turns, shares, tenantId, signal };
      const read = () => readInput(endpoint, request, owner);
      const input = await traced('body.read', read).catch(async (error: unknown) => {
        await doors.confirm(caller);
        throw error;
      });
      const output = await traced('operation', () => doors.run(route, caller, input));
      const serializing = serialize(route, endpoint.output, output);
      const text =
        isList || hasLongText(output)
          ? await traced('serialize', () => turns.run(tenantId, serializing, { signal, isBegun: true }))
          : finish(serializing);
      if (endpoint.maxAge !== undefined)
        void reply.header('cache-control', `private, max-age=${endpoint.maxAge}`);
      if (endpoint.status === 201) void reply.header('location', locationOf(route, output));
      return send(reply.code(endpoint.status ?? 200), 'application/json', text);
    };
    app.route({
      method,
      url,
      handler: (request, reply) => traceRequest(request, reply, () => handle(request, reply)),
    });
  }
}

export function endOf(reply: FastifyReply): EndSignal {
  const end = new CallEnd();
  reply.raw.once('close', () => end.end());
  return end;
}

async function admit(
  doors: Doors,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: EndSignal,
): Promise<Caller> {
  const { authorization, origin } = request.headers;
  const { arrivedAt } = request.visit;
  const ipAddress = canonicalIp(request.ip);
  try {
    const caller = await doors.admit({ route, authorization, origin, ipAddress, arrivedAt, signal });
    request.visit.caller = caller;
    if (origin !== undefined) allowOrigin(reply, origin);
    return caller;
  } catch (error) {
    // A web page can read an error response only if the response has the CORS header. The error `origin_refused` does
    // not get this header, because the page's origin is not allowed to read responses.
    const isUnlisted = error instanceof Refusal && error.code === 'origin_refused';
    if (origin !== undefined && !isUnlisted) allowOrigin(reply, origin);
    throw error;
  }
}

async function readInput(
  endpoint: Endpoint,
  request: FastifyRequest,
  owner: Parameters<typeof readJsonBody>[2],
): Promise<Input<Route>> {
  const body = await readJsonBody(endpoint, request.raw, owner);
  const query = readQuery(endpoint, request.raw.url ?? '');
  return { ...query, ...checkBody(endpoint, body), ...(request.params as object) };
}
