import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { docsPage, docsPolicy } from './docs/page.ts';
import type { Doors } from './doors.ts';
import { type Health, notReady } from './health.ts';
import { openApiDocument } from './openapi.ts';
import { send } from './problems.ts';

let openApi: string | undefined;
let docs: string | undefined;

export function servePages(
  app: FastifyInstance,
  doors: Pick<Doors, 'health' | 'metrics'>,
  isClosing: () => boolean,
): void {
  const page = (url: string, handler: (reply: FastifyReply) => ReturnType<PageHandler>): void =>
    servePage(app, url, (_, reply) => handler(reply));
  const json = (reply: FastifyReply, value: object) => send(reply, 'application/json', JSON.stringify(value));

  page('/healthz', (reply) => json(reply, { status: 'ok' }));
  page('/readyz', async (reply) => {
    const { ready, reasons } = isClosing() ? stopping : await readiness(doors);
    if (ready) return json(reply, { status: 'ready' });
    return json(reply.code(503).header('retry-after', '1'), { status: 'not ready', reasons });
  });
  page('/metrics', async (reply) =>
    send(reply, 'text/plain; version=0.0.4; charset=utf-8', await doors.metrics()),
  );
  page('/openapi.json', (reply) => {
    openApi ??= JSON.stringify(openApiDocument());
    return send(reply, 'application/json', openApi);
  });
  page('/docs', (reply) => {
    docs ??= docsPage();
    return send(reply.header('content-security-policy', docsPolicy), 'text/html; charset=utf-8', docs);
  });
}

type PageHandler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

export function servePage(app: FastifyInstance, url: string, handler: PageHandler): void {
  app.route({ method: ['GET', 'HEAD'], url, handler: async (request, reply) => handler(request, reply) });
}

const stopping: Health = { ready: false, reasons: [notReady.stopping] };

function readiness({ health }: Pick<Doors, 'health'>): Promise<Health> {
  return health().catch(() => ({ ready: false, reasons: [notReady.unknown] }));
}
