// The way of a request in Fastify's hooks. With the hooks of each route, they are the contract's order of checks:
// 404 and 405 (router) → 401 and 403 (onRequest of the API) → 415 and 413 (preParsing) → 400 (preValidation, handler).
import type { IncomingMessage } from 'node:http';
import { finish, nothingHere, requireBodyType, type Steps } from '@eaas/protocol/service';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../base/refusal.ts';
import { beginSpan } from '../base/tracing.ts';
import { admitBody, hasBody } from './body.ts';
import { limitUnread } from './connections.ts';
import type { Doors } from './doors.ts';
import { answerError } from './problems.ts';
import { beginVisit, sharesAs } from './visit.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How the route takes a body. Bodies sent to any other route are not read. */
    readonly body?: { readonly needsJson: boolean; parse(bytes: Uint8Array): Steps<unknown> };
  }
}

/** A longer body waits for a turn of its tenant, because its parsing can take more than a millisecond. */
const parsedAtOnce = 16 * 1024;

/** The hooks of all routes. */
export function addHooks(
  app: FastifyInstance,
  doors: Doors,
  {
    inTurn,
    isClosing,
  }: {
    readonly inTurn: (request: FastifyRequest, send: () => void) => void;
    /** While the server closes, each response is the last of its connection. */
    readonly isClosing: () => boolean;
  },
): void {
  const { turns, shares } = doors.admission;
  app.decorateRequest('visit');
  app.addHook('onRequest', (request, reply, done) => {
    beginVisit(request, reply, doors.requests);
    requireHttp(request.raw);
    // The router matches `/v1/keys/` with `/v1/keys/:key_id` and an empty id, so a path with an empty id is refused
    // here.
    if (Object.values(request.params ?? {}).includes('')) throw nothingHere();
    done();
  });
  app.addHook('preParsing', async (request, _, payload) => {
    const { raw, routeOptions, visit } = request;
    const { headers } = raw;
    const { config, bodyLimit } = routeOptions;
    if (!config.body || !hasBody(raw)) {
      // Fastify reads every body that is announced to it.
      for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name];
      return payload;
    }
    requireBodyType(
      { type: headers['content-type'], encoding: headers['content-encoding'] },
      config.body.needsJson,
    );
    // Fastify would refuse some spellings of the type, and calls without fields that have another type.
    headers['content-type'] = 'application/json';
    visit.reading = beginSpan('body.read');
    const owner = { shares, tenantId: sharesAs(request), signal: visit.end };
    return (visit.body = await admitBody(raw, bodyLimit, owner));
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, bytes, done) => done(null, bytes));
  app.addHook('preValidation', async (request: FastifyRequest) => {
    const { visit, body, routeOptions } = request;
    if (visit.body?.fault !== undefined) throw visit.body.fault;
    if (!Buffer.isBuffer(body) || !routeOptions.config.body) return;
    const parsing = routeOptions.config.body.parse(body);
    if (body.length === 0) request.body = {};
    else if (body.length <= parsedAtOnce) request.body = finish(parsing);
    else request.body = await turns.run(sharesAs(request), parsing, { signal: visit.end });
    visit.reading?.end();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const send = (): void => {
      const { receipt } = request.visit;
      if (receipt) void reply.header('eaas-entry', `${receipt.id} ${receipt.hash}`);
      if (isClosing()) void reply.header('connection', 'close');
      limitUnread(doors.admission, request, reply, payload);
      done(null, payload);
    };
    if (request.visit.caller) send();
    else inTurn(request, send);
  });
  app.setErrorHandler(async (error, request, reply) => {
    request.visit.reading?.end(error);
    const found = await confirmed(error, request, doors);
    doors.failed(found);
    return answerError(found, request, reply);
  });
  app.setNotFoundHandler(async () => {
    throw nothingHere();
  });
}

/**
 * The operation checks the API key against current data. A request that is refused before the operation has only been
 * checked against cached data, so one with a revoked API key gets 401 instead of its refusal.
 */
async function confirmed(error: unknown, { visit }: FastifyRequest, doors: Doors): Promise<unknown> {
  const isOverload = error instanceof Refusal && error.code === 'unavailable';
  if (!visit.caller || visit.hasBegun || isOverload) return error;
  return doors.confirm(visit.caller).then(
    () => error,
    (instead: unknown) => instead,
  );
}

/** Refuses requests that Node accepts although HTTP does not allow them. A proxy could read them differently. */
function requireHttp({ httpVersion, headers, url = '' }: IncomingMessage): void {
  const refuse = (detail: string): never => {
    throw new Refusal('bad_request', detail);
  };
  if (httpVersion !== '1.1' && httpVersion !== '1.0') refuse('The version of HTTP must be 1.0 or 1.1.');
  if (httpVersion === '1.1' && !headers.host) refuse('The request must have a Host header.');
  if (url.includes('#')) refuse('The path must not contain "#".');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    refuse('The header Transfer-Encoding must be "chunked".');
  }
}
