// The service as a function from a request to a response: for tests, and for services inside a process.
import { requireBodyType, shownMembers, takesFields } from '@eaas/protocol/internal-service';
import type { Receipt, Route } from '@eaas/protocol/wire';
import {
  answer,
  locationOf,
  readInput,
  receiptIn,
  Refusal,
  type Service,
  type Settled,
  strangers,
  unexpected,
} from '@eaas/service';
import { findRoute, methodsAt } from './routes.ts';

/** How a service answers inside a process. */
export interface LocalDoor {
  /** There is none before `before` has run, if a key service must open the keys. */
  readonly service: Service;
  /** The address of the client, for the log. */
  readonly ipAddress?: string;
  /** Runs before each call, whoever calls. Throws Refusal. */
  readonly before?: (route: Route) => Promise<void>;
  /** What answers show without a log, whose callers learn of no entry. Absent: the service has a log. */
  readonly shownWithoutLog?: (route: Route, answer: object) => object;
}

/** Responds to a request as the API says. */
export async function respond(door: LocalDoor, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  try {
    return await answerTo(door, request, findRoute(request.method, pathname));
  } catch (error) {
    if (!(error instanceof Refusal)) door.service.listener.failed?.(error, strangers, 'answer');
    const { problem, receipt } = error instanceof Refusal ? error : { problem: unexpected };
    const allow = problem.status === 405 ? { allow: methodsAt(pathname).join(', ') } : {};
    return responseTo(problem.status, problem, { ...entryHead(receipt), ...allow });
  }
}

async function answerTo(
  door: LocalDoor,
  request: Request,
  { route, endpoint, parameters }: ReturnType<typeof findRoute>,
): Promise<Response> {
  const { headers, signal, url } = request;
  await door.before?.(route);
  const { service, ipAddress = null } = door;
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  const authorization = header('authorization');
  const origin = header('origin');
  const body = new Uint8Array(await request.arrayBuffer());
  let isUser = false;
  const { answer: answered, receipts } = await new Promise<Settled<object>>((settled, failed) =>
    answer(
      service,
      { route, authorization, origin, header, ipAddress, signal },
      {
        bodyBytes: 0,
        admit: (caller) => {
          isUser = caller.isUser === true;
        },
        enter: (_name, _cost, then) => then(),
        read: (then) =>
          then(() => {
            if (body.length > 0) {
              requireBodyType(header('content-type'), header('content-encoding'), takesFields(endpoint));
            }
            return { ...readInput(endpoint, { url: new URL(url).search, body }), ...parameters };
          }),
        operate: (work) => work(),
        settled,
        failed,
      },
    ),
  );
  const output = shownBy(door, route, answered, isUser);
  const { status = 200, maxAge } = endpoint;
  return responseTo(status, output, {
    ...(!door.shownWithoutLog && entryHead(receiptIn(receipts))),
    ...(status === 201 && { location: locationOf(route, output) }),
    ...(maxAge !== undefined && { 'cache-control': `private, max-age=${maxAge}` }),
  });
}

/** What a caller is shown of an answer. */
export function shownBy(
  { service, shownWithoutLog }: LocalDoor,
  route: Route,
  answered: object,
  isUser: boolean,
): object {
  const { shown, shownToUsers } = service.calls[route];
  return shownMembers(
    isUser || shownWithoutLog ? shownToUsers : shown,
    shownWithoutLog?.(route, answered) ?? answered,
  );
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
