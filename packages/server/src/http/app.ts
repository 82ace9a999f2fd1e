// The server: Fastify with the hooks and the routes, and what Node leaves open below them.
import { randomUUID } from 'node:crypto';
import { METHODS, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { nothingHere, Refusal, type Service, strangers } from '@eaas/service';
import {
  fastify,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type Lines, linesTo } from '../base/log-lines.ts';
import { timeLimit } from '../base/time-limit.ts';
import type { Fair } from '../fair.ts';
import { serveApi } from './api.ts';
import { answerSocketError, watchConnections } from './connections.ts';
import { type ConsoleOptions, serveConsole, type SignIn } from './console.ts';
import { answerOtherMethods } from './cors.ts';
import type { Health } from './health.ts';
import type { HttpMetrics } from './metrics.ts';
import { type PublicPages, servePages } from './pages.ts';
import { answerError, describeError } from './problems.ts';
import { beginVisit, enter } from './visit.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Routes of the API find out who calls before they take a share of this replica. */
    readonly isOfApi?: true;
    /** Load balancers ask whether the server serves. */
    readonly isProbe?: true;
  }
}

/** What the server serves. */
export interface Served {
  readonly service: Service;
  readonly fair: Fair;
  readonly requests: HttpMetrics;
  /** The text of /metrics. */
  metrics(): Promise<string>;
  health(): Promise<Health>;
  /** Whether the server will soon close. */
  isStopping(): boolean;
}

/** What an operator or a program can choose about the server. */
export interface AppOptions {
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  readonly trustProxy?: readonly string[];
  readonly logLevel?: string;
  readonly log?: Lines;
  readonly console?: ConsoleOptions;
  readonly signIn?: SignIn | undefined;
  /** The page `/docs`, which the package of the console contains. Without it, `/docs` leads to `/openapi.json`. */
  readonly apiPage?: Buffer | undefined;
  readonly pages?: PublicPages;
}

function settings(options: AppOptions): FastifyHttpOptions<Server> {
  const { tls, trustProxy } = options;
  const maxHeaderSize = 16 * 1024;
  const http = {
    // Node checks the time limits of all connections every 100 ms. With a longer interval, more connections would exceed a
    // limit between two checks, and Node would close them all at once.
    connectionsCheckingInterval: 100,
    maxHeaderSize,
    headersTimeout: timeLimit(5_000),
    // Node's own check of the Host header would respond with an empty 400. The app checks the header itself, and sends a
    // problem document.
    requireHostHeader: false,
  };
  return {
    http,
    // Fastify prefers these options, if there are any.
    ...(tls && { https: { ...http, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: timeLimit(5_000) } }),
    keepAliveTimeout: 72_000,
    requestTimeout: timeLimit(30_000),
    connectionTimeout: timeLimit(60_000),
    ...(trustProxy && { trustProxy: [...trustProxy] }),
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: maxHeaderSize, querystringParser: () => ({}) },
    logger: {
      level: options.logLevel ?? 'info',
      stream: options.log ?? linesTo(process.stdout.fd),
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level: string) => ({ level }) },
      // Fastify's type demands the message of an error, which can contain secrets.
      serializers: { err: describeError, req: () => ({}), res: () => ({}) } as never,
    },
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request takes as long as its line.
    childLoggerFactory: (logger) => logger,
  };
}

/** Creates the server of the API, the pages and the console. It listens when its caller says so. */
export function createApp(served: Served, options: AppOptions = {}): FastifyInstance {
  const { fair, requests } = served;
  const refuse = async (given: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // Who has no share of this replica yet takes that of strangers: thousands of them would leave no time for the tenants.
    let fault = given;
    if (!request.visit.hasEntered) {
      await enter(fair, request).catch((late: unknown) => {
        fault = late;
      });
    }
    return answerError(fault, request, reply);
  };
  const answerLater = async (fault: Error & { code?: string }, socket: Socket): Promise<void> => {
    await fair.pause(strangers);
    answerSocketError(fault, socket, app.log);
  };
  const app = fastify({
    ...settings(options),
    // Node can report thousands of slow connections at once.
    clientErrorHandler: (fault, socket) => void answerLater(fault, socket),
    frameworkErrors: (_, request, reply) => {
      // A path that cannot be decoded. No hook has run.
      beginVisit(request, reply, requests);
      void refuse(nothingHere(), request, reply);
    },
  });
  // Of QUERY, Fastify would require a Content-Type before it answers 405.
  for (const method of METHODS) {
    if (method === 'QUERY' || !app.supportedMethods.includes(method)) {
      app.addHttpMethod(method, { overrideExisting: true });
    }
  }
  // The server ignores the Expect header, as RFC 9110, section 10.1.1 allows. By default, Node responds to an unknown
  // expectation with an empty 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const { isClosing } = watchConnections(app);
  app.decorateRequest('visit');
  // Hooks with a callback cost no promise.
  app.addHook('onRequest', (request, reply, done) => {
    beginVisit(request, reply, requests);
    const fault = faultOf(request);
    if (fault || request.routeOptions.config.isOfApi) done(fault);
    else void enter(fair, request).then(() => done(), done);
  });
  // Before the server closes, each response is the last of its connection.
  app.addHook('onSend', (_, reply, _payload, done) => {
    if (served.isStopping() || isClosing()) void reply.header('connection', 'close');
    done();
  });
  app.setErrorHandler(refuse);
  app.setNotFoundHandler(async () => {
    throw nothingHere();
  });
  const methodsOf = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
  });
  serveApi(app, served, isClosing);
  servePages(app, served, isClosing, options);
  if (options.console) serveConsole(app, options.console, options.signIn);
  answerOtherMethods(app, new Map(methodsOf));
  return app;
}

/**
 * Refuses requests that Node accepts although HTTP does not allow them, because a proxy could read them differently. The
 * router matches `/v1/keys/` with `/v1/keys/:key_id` and an empty id.
 */
function faultOf({ raw, visit, params }: FastifyRequest): Refusal | undefined {
  const { httpVersion, headers, url = '' } = raw;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return badHttp('The version of HTTP must be 1.0 or 1.1.');
  }
  if (httpVersion === '1.1' && !headers.host) return badHttp('The request must have a Host header.');
  if (url.includes('#')) return badHttp('The path must not contain "#".');
  if ((visit.body.coding ?? 'chunked').toLowerCase() !== 'chunked') {
    return badHttp('The header Transfer-Encoding must be "chunked".');
  }
  return Object.values(params ?? {}).includes('') ? nothingHere() : undefined;
}

const badHttp = (detail: string): Refusal => new Refusal('bad_request', detail);
