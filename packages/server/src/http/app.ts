// The server: Fastify with the hooks and the routes, and what Node leaves open below them.
import { randomUUID } from 'node:crypto';
import http, { METHODS } from 'node:http';
import https from 'node:https';
import { nothingHere } from '@eaas/protocol/service';
import {
  fastify,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { type Lines, linesTo } from '../base/log-lines.ts';
import { serveApi } from './api.ts';
import { answerSocketError, watchConnections } from './connections.ts';
import { type ConsoleOptions, serveConsole } from './console.ts';
import { answerOtherMethods } from './cors.ts';
import type { Doors } from './doors.ts';
import { addHooks } from './hooks.ts';
import { servePages } from './pages.ts';
import { answerError, describeError } from './problems.ts';
import { beginVisit, sharesAs } from './visit.ts';
import { timeLimit } from '../base/time-limit.ts';

/** What an operator or a program can choose about the server. */
export interface AppOptions {
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  readonly trustProxy?: readonly string[];
  readonly logLevel?: string;
  readonly log?: Lines;
  readonly console?: ConsoleOptions;
  /** The page `/docs`, which the package of the console contains. Without it, `/docs` leads to `/openapi.json`. */
  readonly apiPage?: Buffer | undefined;
}

/**
 * Node checks the time limits of all connections every 100 ms. With a longer interval, more connections would exceed a
 * limit between two checks, and Node would close them all at once.
 */
const node = {
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 100,
  maxHeaderSize: 16 * 1024,
  // Node's own check of the Host header would respond with an empty 400. The app checks the header itself, and sends a
  // problem document.
  requireHostHeader: false,
} as const;

function settings(options: AppOptions): FastifyServerOptions {
  const { tls, trustProxy } = options;
  const limited = {
    ...node,
    headersTimeout: timeLimit(5_000),
    requestTimeout: timeLimit(30_000),
  };
  return {
    serverFactory: (handler) =>
      (tls
        ? https.createServer(
            { ...limited, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: timeLimit(5_000) },
            handler,
          )
        : http.createServer(limited, handler)
      ).setTimeout(timeLimit(60_000)),
    ...(trustProxy && { trustProxy: [...trustProxy] }),
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: node.maxHeaderSize, querystringParser: () => ({}) },
    logger: {
      level: options.logLevel ?? 'info',
      stream: options.log ?? linesTo(process.stdout.fd),
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level: string) => ({ level }) },
      // Fastify's type demands the message of an error, which can contain secrets.
      serializers: { err: describeError, req: () => ({}), res: () => ({}) } as never,
    },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
  };
}

/** Creates the server of the API, the pages and the console. It listens when its caller says so. */
export function createApp(doors: Doors, options: AppOptions = {}): FastifyInstance {
  const { turns } = doors.admission;
  const app = fastify({
    ...settings(options),
    // Node can report thousands of slow connections at once. Each error response waits for a turn, so that the
    // responses do not block the event loop.
    clientErrorHandler: (fault, socket) => {
      const answer = () => answerSocketError(fault, socket, app.log);
      turns.call('no tenant', answer).catch(() => socket.destroy());
    },
    frameworkErrors: (_, request, reply) => {
      // Fastify calls `frameworkErrors` if the path cannot be decoded. Fastify then runs no hooks, so this handler does
      // the work of the hooks.
      beginVisit(request, reply, doors.requests);
      inTurn(request, () => void answerError(nothingHere(), request, reply));
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
  // Of QUERY, Fastify would require a Content-Type before it answers 405.
  for (const method of METHODS) {
    if (method === 'QUERY' || !app.supportedMethods.includes(method))
      app.addHttpMethod(method, { overrideExisting: true });
  }
  // The API refuses fields in the body of a GET, as everywhere.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  // The server ignores the Expect header, as RFC 9110, section 10.1.1 allows. By default, Node responds to an unknown
  // expectation with an empty 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const { isClosing } = watchConnections(app);
  addHooks(app, doors, { inTurn, isClosing });
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
