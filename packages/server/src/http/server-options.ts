import { randomUUID } from 'node:crypto';
import { type FastifyServerOptions, LogController } from 'fastify';
import { describeError } from './describe-error.ts';

/** How the http door is set up. */
export interface AppOptions {
  /** PEM; without it plain HTTP is served. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** Addresses and networks of proxies whose X-Forwarded headers are believed. */
  readonly trustProxy?: readonly string[];
  readonly logLevel?: string;
  /** Where log lines go; standard output where absent. */
  readonly log?: { write(line: string): void };
}

/** Node's own limits. Slow headers are cut after 5 s, slow requests after 30 s. */
const http = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  // Node would answer a missing Host with an empty 400; the door answers it with a problem.
  requireHostHeader: false,
} as const;

/** Fastify's options, without those that need the app itself. */
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
