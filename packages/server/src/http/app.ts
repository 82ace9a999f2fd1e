import { METHODS } from 'node:http';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { serveApi } from './api.ts';
import type { Caller, Doors } from './doors.ts';
import { beginAnswer } from './every-answer.ts';
import { serveHealth } from './health.ts';
import { HttpMetrics, serveMetrics } from './metrics.ts';
import { answerError } from './problems.ts';
import { serveReference } from './reference-pages.ts';
import { refuseOtherMethods } from './refused-methods.ts';
import { type AppOptions, serverOptions } from './server-options.ts';
import { closeGracefully } from './shutdown.ts';
import { answerSocketError } from './socket-errors.ts';
import './visit.ts';

export type { AppOptions } from './server-options.ts';

/** The http door: the whole API before a service. It listens when told to, and ends well when closed. */
export function createApp<C extends Caller>(doors: Doors<C>, options: AppOptions = {}): FastifyInstance {
  const metrics = new HttpMetrics();
  const app = fastify({
    ...serverOptions(options),
    clientErrorHandler: (error, socket) => answerSocketError(error, socket, app.log),
    frameworkErrors: (_, request, reply) => {
      // Only an address that cannot be decoded comes here; fastify runs no hook for it.
      beginAnswer(request, reply, metrics);
      const refusal = new Refusal('bad_request', 'The path is not percent-encoded UTF-8.');
      void answerError(refusal, request, reply);
    },
  });
  // Fastify reads no body then: the door does, after the 403s, and by its own rules.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  // RFC 9110, 10.1.1 lets a server ignore an expectation; Node would answer it with an empty 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const { isClosing } = closeGracefully(app);
  app.decorateRequest('visit');
  app.addHook('onRequest', async (request, reply) => {
    beginAnswer(request, reply, metrics);
    if (isClosing()) throw new Refusal('unavailable', 'The service is stopping: send the request again.');
    requireHost(request);
    // The router takes `/v1/keys/` for `/v1/keys/:key_id` with nothing in it.
    if (Object.values(request.params ?? {}).includes('')) throw nothingHere();
  });
  app.addHook('onSend', (_, reply, payload, done) => {
    if (isClosing()) void reply.header('connection', 'close');
    // Node sends a text together with its headers, and bytes after them.
    done(null, Buffer.isBuffer(payload) ? payload.toString() : payload);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(async () => {
    throw nothingHere();
  });
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
  });
  serveApi(app, doors);
  serveHealth(app, doors);
  serveMetrics(app, doors, metrics);
  serveReference(app);
  refuseOtherMethods(app, new Map(methodsOf));
  return app;
}

const nothingHere = () =>
  new Refusal('not_found', 'There is nothing at this path: see /docs for those that there are.');

/** RFC 9112, 3.2: what speaks HTTP/1.1 names the host. */
function requireHost({ raw }: FastifyRequest): void {
  if (raw.httpVersion === '1.1' && !raw.headers.host) {
    throw new Refusal('bad_request', 'The request has no Host header.');
  }
}
