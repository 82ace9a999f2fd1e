import type { FastifyReply, FastifyRequest } from 'fastify';

/** As browsers spell one; what is none of theirs is not sent back. */
const spelling = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:[\]-]+)$/;

/** Lets the page that asked read the answer. Without credentials: the API knows no cookies. */
export function allowOrigin(reply: Pick<FastifyReply, 'header'>, origin: string): void {
  if (!spelling.test(origin)) return;
  void reply.header('access-control-allow-origin', origin);
  void reply.header('access-control-expose-headers', 'X-Request-Id, Retry-After');
}

/** Whether a browser asks what it may send. */
export function isPreflight(request: FastifyRequest): boolean {
  const { origin, 'access-control-request-method': method } = request.headers;
  return request.method === 'OPTIONS' && origin !== undefined && method !== undefined;
}

/** Answers a preflight: it carries no API key, so which origins may come is judged by the request that follows. */
export function answerPreflight(
  methods: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  allowOrigin(reply, request.headers.origin ?? '');
  void reply.header('access-control-allow-methods', methods.join(', '));
  void reply.header('access-control-allow-headers', 'Authorization, Content-Type');
  void reply.header('access-control-max-age', '600');
  return reply.code(204).send();
}
