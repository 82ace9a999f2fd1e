import { randomUUID } from 'node:crypto';
import { type FastifyServerOptions, LogController } from 'fastify';
import type { ConsoleOptions } from './console.ts';
import { describeError } from './problems.ts';

/** Options of the HTTP server. */
export interface AppOptions {
  /** The certificate and private key in PEM. Without them the server uses plain HTTP. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** IP addresses and networks of proxies whose X-Forwarded headers are trusted. */
  readonly trustProxy?: readonly string[];
  readonly logLevel?: string;
  /** The stream for log lines. Defaults to standard output. */
  readonly log?: { write(line: string): void };
  /** The console. If undefined, the server has no console. */
  readonly console?: ConsoleOptions;
}

/**
 * The time limits that Node applies: 5 s for the headers and 30 s for a request. Node checks them often, so that it
 * ends only a few slow connections at a time.
 */
const http = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 100,
  maxHeaderSize: 16 * 1024,
  // The app responds to a missing Host header with a problem. Node would send an empty 400.
  requireHostHeader: false,
} as const;

/** Returns the options of fastify, except those that need the app. */
export function serverOptions(options: AppOptions) {
  return {
    ...(options.tls
      ? { https: { ...http, ...options.tls, minVersion: 'TLSv1.2', handshakeTimeout: 5_000 } }
      : { http }),
    requestTimeout: http.requestTimeout,
    keepAliveTimeout: 72_000,
    connectionTimeout: 60_000,
    ...(options.trustProxy && { trustProxy: [...options.trustProxy] }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: http.maxHeaderSize, querystringParser: () => ({}) },
    logger: {
      level: options.logLevel ?? 'info',
      ...(options.log && { stream: options.log }),
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level: string) => ({ level }) },
      serializers: { err: describeError, req: () => undefined, res: () => undefined },
    },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
  } as unknown as FastifyServerOptions;
}
