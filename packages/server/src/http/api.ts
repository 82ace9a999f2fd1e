// The routes of the API: who calls (onRequest), the body (hooks.ts), the operation, the response.
import {
  checkBody,
  finish,
  locationOf,
  parseBody,
  readQuery,
  routes,
  splitRoute,
  takesFields,
} from '@eaas/protocol/service';
import { type Endpoint, type Input, limits, type Route } from '@eaas/protocol/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../base/refusal.ts';
import { traced } from '../base/tracing.ts';
import { canonicalIp } from './visit.ts';
import { allowOrigin } from './cors.ts';
import type { Doors } from './doors.ts';
import { send } from './problems.ts';
import { traceRequest } from './request-span.ts';
import { hasList, hasLongText, serialize } from './serialize.ts';

/** Serves every endpoint of the table. */
export function serveApi(app: FastifyInstance, doors: Doors, isClosing: () => boolean): void {
  const { turns } = doors.admission;
  for (const [route, endpoint] of routes) {
    const { method, path: url } = splitRoute(route);
    const isList = hasList(endpoint.output);
    app.route({
      method,
      url,
      bodyLimit: limits.body,
      config: {
        body: { needsJson: takesFields(endpoint), parse: (bytes) => parseBody(endpoint, bytes) },
      },
      onRequest: [
        traceRequest,
        async (request, reply) => {
          if (isClosing())
            throw new Refusal('unavailable', 'The service is stopping: send the request again.');
          const { tenantId } = await traced('admit', () => admit(doors, route, request, reply));
          await traced('admission.wait', () => turns.begin(tenantId, { signal: request.visit.end }));
        },
      ],
      handler: async (request, reply) => {
        const { visit } = request;
        const { caller } = visit;
        if (!caller) throw new Error(`${route} must be admitted before it is handled`);
        const input = inputOf(endpoint, request);
        visit.hasBegun = true;
        const output = await traced('operation', () => doors.run(route, caller, input));
        const serializing = serialize(route, endpoint.output, output);
        const inTurns = { signal: visit.end, isBegun: true };
        const text =
          isList || hasLongText(output)
            ? await traced('serialize', () => turns.run(caller.tenantId, serializing, inTurns))
            : finish(serializing);
        if (endpoint.maxAge !== undefined)
          void reply.header('cache-control', `private, max-age=${endpoint.maxAge}`);
        if (endpoint.status === 201) void reply.header('location', locationOf(route, output));
        return send(reply.code(endpoint.status ?? 200), 'application/json', text);
      },
    });
  }
}

async function admit(doors: Doors, route: Route, request: FastifyRequest, reply: FastifyReply) {
  const { authorization, origin } = request.headers;
  const { arrivedAt, end: signal } = request.visit;
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

function inputOf(endpoint: Endpoint, { raw, body, params }: FastifyRequest): Input<Route> {
  const query = readQuery(endpoint, raw.url ?? '');
  return { ...query, ...checkBody(endpoint, body === undefined ? {} : body), ...(params as object) };
}
