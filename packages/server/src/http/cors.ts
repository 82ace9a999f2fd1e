// What pages of other origins may read, and the methods that a path does not have.
import { METHODS } from 'node:http';
import { methodNotAllowed } from '@eaas/service';
import type { FastifyInstance, FastifyReply } from 'fastify';

const spelling = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:[\]-]+)$/;

/** Lets pages of the origin read the response. Credentials stay forbidden, because the API uses no cookies. */
export function allowOrigin(reply: FastifyReply, origin: string | undefined): void {
  if (origin === undefined || !spelling.test(origin)) return;
  void reply.header('access-control-allow-origin', origin);
  void reply.header('access-control-expose-headers', 'X-Request-Id, Retry-After, Eaas-Entry');
}

/** Responds to the methods that a path does not have: a preflight gets 204, any other method 405. */
export function answerOtherMethods(
  app: FastifyInstance,
  methodsOf: ReadonlyMap<string, readonly string[]>,
): void {
  for (const [url, methods] of methodsOf) {
    app.route({
      method: METHODS.filter((method) => method !== 'CONNECT' && !methods.includes(method)),
      url,
      handler: async ({ method, headers }, reply) => {
        const { origin, 'access-control-request-method': requested } = headers;
        const isPreflight = method === 'OPTIONS' && origin !== undefined && requested !== undefined;
        if (!isPreflight || !url.startsWith('/v1/')) {
          void reply.header('allow', methods.join(', '));
          throw methodNotAllowed(methods);
        }
        // A preflight has no API key, so every preflight succeeds. The server checks the origin of the actual
        // request.
        allowOrigin(reply, origin);
        void reply.header('access-control-allow-methods', methods.join(', '));
        void reply.header('access-control-allow-headers', 'Authorization, Content-Type, Eaas-Issuer');
        void reply.header('access-control-max-age', '600');
        return reply.code(204).send();
      },
    });
  }
}
