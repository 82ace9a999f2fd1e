// The routes of the API over HTTP: what a call asks of its door (`answer` of the service), and the response, by the schemas of the
// endpoint table. app.ts adds them.
import {
  type Member,
  Misfit,
  requireBodyType,
  shown,
  shownMembers,
  splitRoute,
  takesFields,
} from '@eaas/protocol/internal-service';
import { limits } from '@eaas/protocol/wire';
import {
  answer,
  type Arrival,
  type Call,
  type Caller,
  type Door,
  locationOf,
  readInput,
  receiptIn,
  Refusal,
  type Settled,
} from '@eaas/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Explained } from '../base/explained.ts';
import type { Fair } from '../fair.ts';
import type { Served } from './app.ts';
import { readBody } from './body.ts';
import { allowOrigin } from './cors.ts';
import { send } from './problems.ts';
import { canonicalIp, traceRequest } from './visit.ts';

/** Serves every endpoint of the table. */
export function serveApi(app: FastifyInstance, served: Served, isClosing: () => boolean): void {
  for (const call of Object.values(served.service.calls)) {
    const { method, path: url } = splitRoute(call.route);
    app.route({
      method,
      url,
      config: { isOfApi: true },
      onRequest: traceRequest,
      handler: (request, reply) => {
        if (isClosing()) throw new Refusal('unavailable', 'The service is stopping: send the request again.');
        const arrival = arrivalOf(call, request);
        const door = new HttpDoor(served, call, request, reply);
        request.visit.step('admit', () => answer(served.service, arrival, door));
      },
    });
  }
}

function arrivalOf({ route }: Call, { raw: { headers }, ip, visit }: FastifyRequest): Arrival {
  const { authorization, origin } = headers;
  const header = (name: string): string | undefined => [headers[name]].flat().join(', ') || undefined;
  return { route, authorization, origin, header, ipAddress: canonicalIp(ip), signal: visit };
}

/** What the service asks for while it answers a request. */
class HttpDoor implements Door {
  readonly bodyBytes: number;
  readonly #fair: Fair;
  readonly #call: Call;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor({ fair }: Served, call: Call, request: FastifyRequest, reply: FastifyReply) {
    this.bodyBytes = request.visit.body.bytes;
    this.#fair = fair;
    this.#call = call;
    this.#request = request;
    this.#reply = reply;
  }

  admit(caller: Caller): void {
    this.#request.visit.caller = caller;
    allowOrigin(this.#reply, this.#request.raw.headers.origin);
  }

  enter(name: string, cost: number, then: () => void): void {
    const { visit } = this.#request;
    visit.step('admission.wait', () =>
      visit.enter(this.#fair, name, cost, (refusal) => (refusal ? this.failed(refusal) : then())),
    );
  }

  read(then: (input: () => object) => void): void {
    const { visit, raw, params } = this.#request;
    const { endpoint } = this.#call;
    const { type, encoding, bytes } = visit.body;
    visit.step('body.read', () => {
      try {
        // The type is judged before the body arrives.
        if (bytes > 0) requireBodyType(type, encoding, takesFields(endpoint));
      } catch (fault) {
        return then(() => {
          throw fault;
        });
      }
      readBody(raw, bytes, limits.body, (bodyOf) =>
        then(() => ({
          ...readInput(endpoint, { url: raw.url ?? '', body: bodyOf() }),
          ...(params as object),
        })),
      );
    });
  }

  operate(work: () => void): void {
    this.#request.visit.step('operation', work);
  }

  settled({ answer: answered, receipts }: Settled<object>): void {
    const { visit } = this.#request;
    const { endpoint, route, shown, shownToUsers } = this.#call;
    const respond = (text: string): void => {
      const reply = this.#reply;
      const receipt = receiptIn(receipts);
      if (receipt) void reply.header('eaas-entry', `${receipt.id} ${receipt.hash}`);
      if (endpoint.maxAge !== undefined) {
        void reply.header('cache-control', `private, max-age=${endpoint.maxAge}`);
      }
      if (endpoint.status === 201) void reply.header('location', locationOf(route, answered));
      void send(reply.code(endpoint.status ?? 200), 'application/json', text);
    };
    visit.step('serialize', () => {
      const members = visit.caller?.isUser ? shownToUsers : shown;
      const text = serialize(route, members, answered, this.#fair, visit.caller?.tenantId ?? '');
      if (typeof text === 'string') respond(text);
      else text.then(respond, (error: unknown) => this.failed(error));
    });
  }

  failed(error: unknown): void {
    const { visit, raw } = this.#request;
    // A web page can read an error response only if the response has the CORS header. The error `origin_refused` does
    // not get this header, because the page's origin is not allowed to read responses.
    const isRefusedOrigin = error instanceof Refusal && error.code === 'origin_refused';
    if (!visit.caller && !isRefusedOrigin) allowOrigin(this.#reply, raw.headers.origin);
    visit.spans?.fail(error);
    void this.#reply.send(error instanceof Error ? error : new Error('a call failed', { cause: error }));
  }
}

/** The items of a list, from which on it is written with pauses. */
const many = 100;

/** Writes what a caller is shown of an answer. A long list takes its time. */
export function serialize(
  route: string,
  members: readonly Member[],
  answered: object,
  fair: Pick<Fair, 'isOver' | 'pause'>,
  tenantId: string,
): string | Promise<string> {
  const isLong = ({ name, item }: Member): boolean => {
    const list: unknown = item && Reflect.get(answered, name);
    return Array.isArray(list) && list.length >= many;
  };
  return members.some(isLong) ? inParts() : (textOf(route, () => shownMembers(members, answered)) ?? '');

  async function inParts(): Promise<string> {
    const parts: string[] = [];
    for (const member of members) {
      const { name, show, item } = member;
      const value: unknown = Reflect.get(answered, name);
      const text = isLong(member)
        ? await listText(value as unknown[], (one, nth) =>
            textOf(route, () => shown(() => shown(item ?? show, one, nth), one, name)),
          )
        : textOf(route, () => shown(show, value, name));
      if (text !== undefined) parts.push(`"${name}":${text}`);
    }
    return `{${parts.join(',')}}`;
  }

  async function listText(
    items: readonly unknown[],
    write: (one: unknown, nth: number) => string | undefined,
  ): Promise<string> {
    const written: string[] = [];
    for (const [nth, one] of items.entries()) {
      written.push(write(one, nth) ?? 'null');
      if (fair.isOver()) await fair.pause(tenantId);
    }
    return `[${written.join(',')}]`;
  }
}

function textOf(route: string, show: () => unknown): string | undefined {
  try {
    return JSON.stringify(show());
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new Explained(`the output of ${route} does not match its schema at ${error.path.join('.')}`);
  }
}
