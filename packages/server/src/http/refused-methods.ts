import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../refusal.ts';
import { answerPreflight, isPreflight } from './cors.ts';

/**
 * Answers every path for the methods that it does not have: 405 with `Allow`, or a browser's preflight. Call it
 * when all other routes are there, with the methods of each path.
 */
export function refuseOtherMethods(
  app: FastifyInstance,
  methodsOf: ReadonlyMap<string, readonly string[]>,
): void {
  for (const [url, methods] of methodsOf) {
    app.route({
      method: METHODS.filter((method) => method !== 'CONNECT' && !methods.includes(method)),
      url,
      handler: async (request, reply) => {
        if (url.startsWith('/v1/') && isPreflight(request)) {
          return answerPreflight(methods, request, reply);
        }
        void reply.header('allow', methods.join(', '));
        throw new Refusal('method_not_allowed', `This path takes ${methods.join(', ')}.`);
      },
    });
  }
}
