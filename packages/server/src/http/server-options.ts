import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { type FastifyServerOptions, LogController } from 'fastify';
import type { Caller } from '../state/caller.ts';
import type { ConsoleOptions } from './console.ts';
import { type Lines, linesTo } from '../base/log-lines.ts';
import { describeError } from './problems.ts';

export interface AppOptions {
  readonly tls?: {
    readonly cert: string | Buffer;
    readonly key: string | Buffer;
    readonly ticketKeys?: Buffer;
  };
  readonly trustProxy?: readonly string[];
  readonly logLevel?: string;
  readonly log?: Lines;
  readonly console?: ConsoleOptions;
  /** The page `/docs`, which the package of the console contains. Without it, `/docs` leads to `/openapi.json`. */
  readonly apiPage?: Buffer | undefined;
  readonly worker?: number;
  /** Whether the server closes the connection after the response. */
  readonly leaves?: (socket: Socket, caller: Caller | undefined) => boolean;
}

/**
 * Node checks the time limits of all connections every 100 ms. With a longer interval, more connections would exceed a
 * limit between two checks, and Node would close them all at once.
 */
const http = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 100,
  maxHeaderSize: 16 * 1024,
  // Node's own check of the Host header would respond with an empty 400. The app checks the header itself, and sends a
  // problem document.
  requireHostHeader: false,
} as const;

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
      stream: options.log ?? linesTo(process.stdout.fd),
      base: options.worker === undefined ? null : { worker: options.worker },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level: string) => ({ level }) },
      serializers: { err: describeError, req: () => undefined, res: () => undefined },
    },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
  } as unknown as FastifyServerOptions;
}
