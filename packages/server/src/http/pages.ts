// The pages around the API: probes, metrics, the OpenAPI document, the reference, and what plugins show to everyone.
import { createHash } from 'node:crypto';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openApiDocument } from '@eaas/protocol/internal-reference';
import { nothingHere, SharedRead } from '@eaas/service';
import type { AppOptions, Served } from './app.ts';
import { type Health, notReady } from './health.ts';
import { send } from './problems.ts';

/** What everyone can read at paths that end with `*`, as in `/log/*`: of each, a function of what stands for it. */
export type PublicPages = Readonly<Record<string, (path: string) => Promise<PublicFile | undefined>>>;

interface PublicFile {
  readonly bytes: Buffer | string;
  readonly type: string;
  /** For how long caches may keep it, in seconds. */
  readonly maxAge: number;
}

/** Serves the pages around the API: probes, metrics and the reference. */
export function servePages(
  app: FastifyInstance,
  served: Pick<Served, 'health' | 'metrics'>,
  isClosing: () => boolean,
  { pages = {}, apiPage, console }: AppOptions,
): void {
  const json = (reply: FastifyReply, value: object) => send(reply, 'application/json', JSON.stringify(value));
  const metrics = new SharedRead(() => served.metrics(), 1_000);

  servePage(app, '/healthz', (_, reply) => json(reply, { status: 'ok' }), probe);
  const readyz: PageHandler = async (_, reply) => {
    const { ready, reasons } = isClosing() ? stopping : await served.health();
    if (ready) return json(reply, { status: 'ready' });
    return json(reply.code(503).header('retry-after', '1'), { status: 'not ready', reasons });
  };
  servePage(app, '/readyz', readyz, probe);
  servePage(app, '/metrics', async (_, reply) =>
    send(reply, 'text/plain; version=0.0.4; charset=utf-8', await metrics.run()),
  );
  serveStatic(app, '/openapi.json', () => ({
    bytes: Buffer.from(JSON.stringify(openApiDocument())),
    headers: { 'content-type': 'application/json' },
  }));
  if (apiPage) serveStatic(app, '/docs', () => linked(apiPage, console?.pages ?? []));
  else servePage(app, '/docs', (_, reply) => reply.redirect('/openapi.json', 302));
  for (const [url, read] of Object.entries(pages)) servePublic(app, url, read);
}

/** Serves what everybody may read, pages of any origin too. */
function servePublic(app: FastifyInstance, url: string, read: PublicPages[string]): void {
  servePage(app, url, async (request, reply) => {
    const found = await read((request.params as { '*': string })['*']);
    void reply.header('access-control-allow-origin', '*');
    if (!found) throw nothingHere();
    const { bytes, type, maxAge } = found;
    void reply.header('cache-control', `public, max-age=${maxAge}${maxAge > 3_600 ? ', immutable' : ''}`);
    return send(reply, type, bytes);
  });
}

/** Returns the API page with links to those of the `served` pages that the console has. */
function linked(apiPage: Buffer, served: readonly { readonly url: string }[]): StaticPage {
  const text = apiPage
    .toString()
    .replace(/<li data-page="([^"]*)">.*?<\/li>/g, (item, page) =>
      served.some(({ url }) => url === page) ? item : '',
    );
  const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; frame-ancestors 'none'`;
  return {
    bytes: Buffer.from(text),
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  };
}

type PageHandler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

const probe: FastifyContextConfig = { isProbe: true };

/** Serves a page for GET and HEAD. */
export function servePage(
  app: FastifyInstance,
  url: string,
  handler: PageHandler,
  config: FastifyContextConfig = {},
): void {
  const method = ['GET', 'HEAD'];
  app.route({ method, url, config, handler: async (request, reply) => handler(request, reply) });
}

interface StaticPage {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Serves a page that never changes while the server runs. `make` runs at the first request. A client that has the page
 * gets 304.
 */
export function serveStatic(app: FastifyInstance, url: string, make: () => StaticPage): void {
  let made: (StaticPage & { readonly etag: string }) | undefined;
  servePage(app, url, (request, reply) => {
    made ??= tagged(make());
    const { bytes, headers, etag } = made;
    void reply.headers({ 'cache-control': 'no-cache', ...headers, etag });
    return hasPage(request, etag) ? reply.code(304).send() : reply.send(bytes);
  });
}

function tagged(page: StaticPage) {
  return { ...page, etag: `"${createHash('sha256').update(page.bytes).digest('base64url')}"` };
}

function hasPage({ headers: { 'if-none-match': known = '' } }: FastifyRequest, etag: string): boolean {
  return known.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}

const stopping: Health = { ready: false, reasons: [notReady.stopping] };
