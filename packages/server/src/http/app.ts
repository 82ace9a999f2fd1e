import { type IncomingMessage, METHODS } from 'node:http';
import { nothingHere } from '@eaas/protocol/service';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { Refusal } from '../base/refusal.ts';
import { serveApi } from './api.ts';
import { closeGracefully } from './closing.ts';
import { answerSocketError, limitUnread, oneByOne } from './connections.ts';
import { serveConsole } from './console.ts';
import { answerOtherMethods } from './cors.ts';
import type { Doors } from './doors.ts';
import { servePages } from './pages.ts';
import { answerError } from './problems.ts';
import { type AppOptions, serverOptions } from './server-options.ts';
import { beginVisit, sharesAs } from './visit.ts';

export function createApp(doors: Doors, options: AppOptions = {}): FastifyInstance {
  const { requests: metrics } = doors;
  const { turns } = doors.admission;
  const inOrder = oneByOne();
  const app = fastify({
    ...serverOptions(options),
    // Node can report thousands of slow connections at once. Each error response waits for a turn, so that the
    // responses do not block the event loop.
    clientErrorHandler: (fault, socket) => {
      const answer = () => answerSocketError(fault, socket, app.log);
      turns.call('no tenant', answer).catch(() => socket.destroy());
    },
    frameworkErrors: (_, request, reply) => {
      // Fastify calls `frameworkErrors` if the path cannot be decoded. Fastify then runs no hooks, so this handler does
      // the work of the hooks.
      inOrder(request, reply, () => {
        beginVisit(request, reply, metrics);
        sendInTurn(request, () => void answerError(nothingHere(), request, reply));
      });
    },
  });
  /**
   * Responses to strangers need no database, but thousands of them would leave no CPU time for the tenants. A slice has
   * time for two of them, because a tenant waits for several slices in each of its calls.
   */
  const sendInTurn = (request: FastifyRequest, send: () => void): void => {
    turns.begin(sharesAs(request), { isBegun: true, cost: 0.5 }, send).catch((error: unknown) => {
      app.log.error({ err: error }, 'a response could not be sent');
      request.raw.socket.destroy();
    });
  };
  // Fastify must not read bodies, because the API reads a body only after the request was admitted.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  // The server ignores the Expect header, as RFC 9110, section 10.1.1 allows. By default, Node responds to an unknown
  // expectation with an empty 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const { isClosing } = closeGracefully(app);
  app.decorateRequest('visit');
  app.addHook('onRequest', inOrder);
  app.addHook('onRequest', async (request, reply) => {
    beginVisit(request, reply, metrics);
    requireHttp(request.raw);
    // The router matches `/v1/keys/` with `/v1/keys/:key_id` and an empty id, so a path with an empty id is refused
    // here.
    if (Object.values(request.params ?? {}).includes('')) throw nothingHere();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const send = (): void => {
      if (isClosing() || options.leaves?.(request.raw.socket, request.visit.caller))
        void reply.header('connection', 'close');
      limitUnread(doors.admission, request, reply, payload);
      done(null, payload);
    };
    if (request.visit.caller) send();
    else sendInTurn(request, send);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(async () => {
    throw nothingHere();
  });
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
  });
  serveApi(app, doors, isClosing);
  servePages(app, doors, isClosing, options.console?.pages ?? []);
  if (options.console) serveConsole(app, doors, options.console);
  answerOtherMethods(app, new Map(methodsOf));
  return app;
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
