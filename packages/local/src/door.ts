// The service as a function from a request to a response: for tests, and for services inside a process. A server has its own
// door, with the same order of checks: 404 and 405, 401 and 403, 415, 413, 400, and what the operation refuses.
import { requireBodyType, takesFields } from '@eaas/protocol/internal-service';
import { type Endpoint, endpoints, type Input, type Receipt, type Route } from '@eaas/protocol/wire';
import {
  admit,
  type Arrival,
  type Caller,
  confirm,
  locationOf,
  readInput,
  Refusal,
  run,
  type Service,
  unexpected,
} from '@eaas/service';
import { findRoute, methodsAt } from './routes.ts';

/** How a service answers inside a process. */
export interface Door {
  readonly service: Service;
  /** The address of the client, for the log. */
  readonly ipAddress?: string;
  /** Runs before each call, whoever calls. Throws Refusal. */
  readonly before?: (route: Route) => Promise<void>;
  /** What answers show without a log, whose callers learn of no entry. Absent: the service has a log. */
  readonly shownWithoutLog?: (route: Route, answer: object) => object;
}

/** Responds to a request as the API says. */
export async function respond(door: Door, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  try {
    return await answer(door, request, findRoute(request.method, pathname));
  } catch (error) {
    if (!(error instanceof Refusal)) door.service.listener.failed?.(error, 'no tenant');
    const { problem, receipt } = error instanceof Refusal ? error : { problem: unexpected };
    const allow = problem.status === 405 ? { allow: methodsAt(pathname).join(', ') } : {};
    return responseTo(problem.status, problem, { ...entryHead(receipt), ...allow });
  }
}

async function answer(
  door: Door,
  request: Request,
  { route, endpoint, parameters }: ReturnType<typeof findRoute>,
) {
  const { service, ipAddress = null, shownWithoutLog } = door;
  const { headers, signal, url } = request;
  await door.before?.(route);
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  const [authorization, origin] = [header('authorization'), header('origin')];
  const arrival: Arrival = { route, authorization, origin, header, ipAddress, signal };
  const admitted = await admit(service, arrival);
  const caller = shownWithoutLog ? { ...admitted, isUser: true as const } : admitted;
  let input: object;
  try {
    const body = new Uint8Array(await request.arrayBuffer());
    if (body.length > 0)
      requireBodyType(header('content-type'), header('content-encoding'), takesFields(endpoint));
    input = { ...readInput(endpoint, { url: new URL(url).search, body }), ...parameters };
  } catch (error) {
    // What let the caller through can be out of date: one whose API key is revoked learns nothing else.
    await confirm(service, arrival, caller);
    throw error;
  }
  const { output, receipt } = await perform(door, caller, route, input as Input<Route>);
  const { status = 200, maxAge } = endpoint;
  return responseTo(status, output, {
    ...entryHead(receipt),
    ...(status === 201 && { location: locationOf(route, output) }),
    ...(maxAge !== undefined && { 'cache-control': `private, max-age=${maxAge}` }),
  });
}

/** Runs an operation, and returns what its caller is shown of the answer. Throws Refusal. */
export async function perform<R extends Route>(
  { service, shownWithoutLog }: Door,
  caller: Caller,
  route: R,
  input: Input<R>,
) {
  const { answer, receipt } = await run(service, caller, route, input);
  const { output, userOutput }: Endpoint = endpoints[route];
  const shown = shownWithoutLog?.(route, answer) ?? answer;
  return { output: ((caller.isUser && userOutput) || output).parse(shown), receipt };
}

const entryHead = (receipt: Receipt | undefined): Record<string, string> =>
  receipt ? { 'eaas-entry': `${receipt.id} ${receipt.hash}` } : {};

function responseTo(status: number, body: object, more: Record<string, string>): Response {
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
