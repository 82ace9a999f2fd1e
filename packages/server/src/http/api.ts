// The routes of the API: who calls (onRequest), the body (hooks.ts), the operation, and the response, which is written by its
// schema in pieces, so that a long list does not block the thread.
import { type Endpoint, type Input, limits, type Route } from '@eaas/protocol/wire';
import * as z from 'zod/mini';
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
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../base/refusal.ts';
import { traced } from '../base/tracing.ts';
import { canonicalIp, traceRequest } from './visit.ts';
import { allowOrigin } from './cors.ts';
import type { Doors } from './doors.ts';
import { send } from './problems.ts';

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
        const schema = (caller.credential?.token && endpoint.userOutput) || endpoint.output;
        const serializing = serialize(route, schema, output);
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
  const { authorization, origin, 'eaas-issuer': issuer } = request.headers;
  const { visit } = request;
  const { arrivedAt, end: signal } = visit;
  const ipAddress = canonicalIp(request.ip);
  try {
    const asked = { route, authorization, issuer, origin };
    const caller = await doors.admit({ ...asked, ipAddress, arrivedAt, signal, visit });
    visit.caller = caller;
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

/** This error contains only the path of the invalid field, because the value might be secret. */
class OutputError extends Error {
  override readonly name = 'OutputError';
  readonly code: string;
  constructor(route: string, path: readonly PropertyKey[]) {
    super('the operation returned output that does not match its schema');
    this.code = `${route} ${path.map(String).join('.')}`.replace(/\W+/g, '_').slice(0, 64);
  }
}

/**
 * Yields after each member of a list. The encoding of a long text would block the thread, so a long text is encoded in
 * portions and returned as bytes.
 */
export function* serialize(
  route: string,
  schema: Endpoint['output'],
  output: object,
): Generator<undefined, string | Buffer> {
  const text = new PortionedText();
  let separator = '';
  text.add('{');
  for (const [name, field] of Object.entries(schema.shape)) {
    const value: unknown = Reflect.get(output, name);
    const isList = field instanceof z.ZodMiniArray && Array.isArray(value);
    const single = isList ? '[' : stringify(route, [name], field, value);
    if (single === undefined) continue;
    text.add(`${separator}${JSON.stringify(name)}:${single}`);
    separator = ',';
    if (!isList) continue;
    for (const [index, member] of value.entries()) {
      text.add(index === 0 ? '' : ',');
      text.add(stringify(route, [name, index], field._zod.def.element, member) ?? 'null');
      yield;
    }
    text.add(']');
  }
  text.add('}');
  return text.end();
}

const portion = 64 * 1024;

class PortionedText {
  #text = '';
  readonly #encoded: Buffer[] = [];

  add(text: string): void {
    this.#text += text;
    if (this.#text.length < portion) return;
    this.#encoded.push(Buffer.from(this.#text));
    this.#text = '';
  }

  end(): string | Buffer {
    if (this.#encoded.length === 0) return this.#text;
    return Buffer.concat([...this.#encoded, Buffer.from(this.#text)]);
  }
}

/** Whether an output of the schema has a list. */
export function hasList({ shape }: Endpoint['output']): boolean {
  return Object.values(shape).some((field) => field instanceof z.ZodMiniArray);
}

/** Whether the output takes so long to serialize that the responses of one append must not all be written at once. */
export function hasLongText(output: object): boolean {
  return Object.values(output).some((value: unknown) => typeof value === 'string' && value.length > 2 * 1024);
}

function stringify(
  route: string,
  path: readonly PropertyKey[],
  schema: z.core.$ZodType,
  value: unknown,
): string | undefined {
  const { success, data, error } = z.safeParse(schema, value);
  if (!success) throw new OutputError(route, [...path, ...(error.issues[0]?.path ?? [])]);
  return JSON.stringify(data);
}
