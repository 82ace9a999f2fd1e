import type { FastifyInstance } from 'fastify';
import { docsPage, docsPolicy } from './docs/page.ts';
import { openApiDocument } from './openapi.ts';
import { send } from './problems.ts';

const openApi = once(() => JSON.stringify(openApiDocument()));
const docs = once(docsPage);

/** /openapi.json for machines and /docs for people, both made from the endpoint table, once. */
export function serveReference(app: FastifyInstance): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/openapi.json',
    handler: async (_, reply) => send(reply, 'application/json', openApi()),
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/docs',
    handler: async (_, reply) =>
      send(reply.header('content-security-policy', docsPolicy), 'text/html; charset=utf-8', docs()),
  });
}

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
