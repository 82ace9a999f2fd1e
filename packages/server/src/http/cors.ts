import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Doors } from './doors.ts';

type Origins = Pick<Doors, 'allowsOrigin'>;
type Headers = Pick<FastifyReply, 'header'>;

/** Lets the page that asked read the answer. Without credentials: the API knows no cookies. */
export function allowOrigin(reply: Headers, origin: string): void {
  void reply.header('access-control-allow-origin', origin);
  void reply.header('access-control-expose-headers', 'X-Request-Id, Retry-After');
}

/** As allowOrigin, for who was not admitted: so that a page learns that its API key has expired. */
export async function allowKnownOrigin(
  doors: Origins,
  request: FastifyRequest,
  reply: Headers,
): Promise<void> {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const known = await doors.allowsOrigin(origin).catch(() => false);
  if (known) allowOrigin(reply, origin);
}

/** Whether a browser asks what it may send. */
export function isPreflight(request: FastifyRequest): boolean {
  const { origin, 'access-control-request-method': method } = request.headers;
  return request.method === 'OPTIONS' && origin !== undefined && method !== undefined;
}

/** Answers a preflight: 204, and only an origin that some API key lists is allowed anything. */
export async function answerPreflight(
  doors: Origins,
  methods: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { origin = '' } = request.headers;
  if (await doors.allowsOrigin(origin)) {
    allowOrigin(reply, origin);
    void reply.header('access-control-allow-methods', methods.join(', '));
    void reply.header('access-control-allow-headers', 'Authorization, Content-Type');
    void reply.header('access-control-max-age', '600');
  }
  return reply.code(204).send();
}
