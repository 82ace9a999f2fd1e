import type { ProblemCode } from '@eaas/protocol/wire';
import type { Caller } from './doors.ts';

/** What the door remembers of a request until it is answered. */
interface Visit {
  /** By `performance.now()`. */
  readonly arrivedAt: number;
  /** The path as in the table; undefined where no path matches. Never what the client wrote. */
  readonly path: string | undefined;
  caller?: Caller;
  /** The problem that it was answered with. */
  code?: ProblemCode;
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}
