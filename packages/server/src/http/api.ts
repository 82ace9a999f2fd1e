import { type Endpoint, endpoints, type Route } from '@eaas/protocol/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { runBatch } from './batch.ts';
import { canonicalIp } from './client-ip.ts';
import { allowOrigin } from './cors.ts';
import type { Caller, Doors } from './doors.ts';
import { checkBody, readJsonBody } from './json-body.ts';
import { send } from './problems.ts';
import { readQuery } from './query.ts';

type Run<C> = (caller: C, input: object) => Promise<object>;

/** Every route of the endpoint table. */
export const routes = Object.entries(endpoints) as [Route, Endpoint][];

/** The method and the path of a route. */
export function splitRoute(route: Route): { method: string; path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method, path };
}

/** Serves the endpoint table. No route has code of its own. */
export function serveApi<C extends Caller>(app: FastifyInstance, doors: Doors<C>): void {
  for (const [route, endpoint] of routes) {
    const { method, path: url } = splitRoute(route);
    const run = doors.operations[route] as unknown as Run<C>;
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const caller = await admit(doors, route, request, reply);
        const input = await readInput(endpoint, request).catch(async (error: unknown) => {
          await doors.confirm(caller);
          throw error;
        });
        const output = await operate(endpoint, run, caller, input);
        return answer(route, endpoint, reply, output);
      },
    });
  }
}

async function admit<C extends Caller>(
  doors: Doors<C>,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<C> {
  if (doors.draining()) throw new Refusal('unavailable', 'The service is stopping: send the request again.');
  const { authorization, origin } = request.headers;
  const ipAddress = canonicalIp(request.ip);
  const { arrivedAt } = request.visit;
  try {
    const caller = await doors.admit({
      route,
      authorization,
      origin,
      ipAddress,
      requestId: request.id,
      arrivedAt,
    });
    request.visit.caller = caller;
    if (origin !== undefined) allowOrigin(reply, origin);
    return caller;
  } catch (error) {
    // A page learns that its API key has expired; one of an origin that is not listed learns nothing.
    const unlisted = error instanceof Refusal && error.code === 'origin_refused';
    if (origin !== undefined && !unlisted) allowOrigin(reply, origin);
    throw error;
  }
}

async function readInput(endpoint: Endpoint, request: FastifyRequest): Promise<object> {
  const body = await readJsonBody(endpoint, request.raw);
  const query = readQuery(endpoint.query, request.raw.url ?? '');
  return { ...query, ...checkBody(endpoint, body), ...(request.params as object) };
}

async function operate<C>(endpoint: Endpoint, run: Run<C>, caller: C, input: object): Promise<object> {
  if (!endpoint.item) return run(caller, input);
  const { items } = input as { items: unknown[] };
  return runBatch(endpoint.item, items, async (good) => {
    return (await run(caller, { items: good })) as { results: object[] };
  });
}

/** Answers with what the output's schema names, and nothing else. An output that is not of it is `internal`. */
function answer(route: Route, endpoint: Endpoint, reply: FastifyReply, output: object): FastifyReply {
  const checked = endpoint.output.safeParse(output);
  if (!checked.success) throw new OutputError(route, checked.error.issues[0]?.path ?? []);
  if (endpoint.status === 201) void reply.header('location', locationOf(route, checked.data));
  return send(reply.code(endpoint.status ?? 200), 'application/json', JSON.stringify(checked.data));
}

/** Where a created resource stands: the route's own path, followed by the id that the table has there. */
function locationOf(route: Route, record: Record<string, unknown>): string {
  const { path } = splitRoute(route);
  const member = routes.find(([other]) => other.startsWith(`GET ${path}/:`));
  const name = member?.[0].split(':')[1] ?? '';
  return `${path}/${String(record[name])}`;
}

class OutputError extends Error {
  override readonly name = 'OutputError';
  readonly code: string;
  constructor(route: Route, path: readonly PropertyKey[]) {
    super(`the operation answered what the table does not have`);
    this.code = `${route} ${path.map(String).join('.')}`.replace(/\W+/g, '_').slice(0, 64);
  }
}
