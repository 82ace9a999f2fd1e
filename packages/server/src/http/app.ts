// The server: Fastify with the hooks and the routes, and what Node leaves open below them.
import { METHODS } from 'node:http';
import { nothingHere } from '@eaas/protocol/service';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { serveApi } from './api.ts';
import { closeGracefully } from './closing.ts';
import { answerSocketError, oneByOne } from './connections.ts';
import { serveConsole } from './console.ts';
import { answerOtherMethods } from './cors.ts';
import type { Doors } from './doors.ts';
import { addHooks } from './hooks.ts';
import { servePages } from './pages.ts';
import { answerError } from './problems.ts';
import { type AppOptions, serverOptions } from './server-options.ts';
import { beginVisit, sharesAs } from './visit.ts';

export function createApp(doors: Doors, options: AppOptions = {}): FastifyInstance {
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
        beginVisit(request, reply, doors.requests);
        inTurn(request, () => void answerError(nothingHere(), request, reply));
      });
    },
  });
  /**
   * Responses to strangers need no database, but thousands of them would leave no CPU time for the tenants. A slice has
   * time for two of them, because a tenant waits for several slices in each of its calls.
   */
  const inTurn = (request: FastifyRequest, send: () => void): void => {
    turns.begin(sharesAs(request), { isBegun: true, cost: 0.5 }, send).catch((error: unknown) => {
      app.log.error({ err: error }, 'a response could not be sent');
      request.raw.socket.destroy();
    });
  };
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // The API refuses fields in the body of a GET, as everywhere.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  // The server ignores the Expect header, as RFC 9110, section 10.1.1 allows. By default, Node responds to an unknown
  // expectation with an empty 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const { isClosing } = closeGracefully(app);
  const isLast = ({ raw, visit }: FastifyRequest): boolean =>
    isClosing() || options.leaves?.(raw.socket, visit.caller) === true;
  addHooks(app, doors, { inOrder, inTurn, isLast });
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
  });
  serveApi(app, doors, isClosing);
  servePages(app, doors, isClosing, options);
  if (options.console) serveConsole(app, options.console);
  answerOtherMethods(app, new Map(methodsOf));
  return app;
}
