import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Mount } from './runtime.ts';

const policy = "default-src 'none'; script-src 'self'; connect-src 'self'";

export interface PageReport {
  readonly report: unknown;
  readonly violations: readonly string[];
}

export async function openPageServer(script: string, mounts: Readonly<Record<string, Mount>>) {
  let settings: object = {};
  let take: (report: PageReport) => void = () => {};
  const pages: Readonly<Record<string, () => { type: string; body: string }>> = {
    '/': () => ({ type: 'text/html', body: '<!doctype html><script type="module" src="/page.js"></script>' }),
    '/page.js': () => ({ type: 'text/javascript', body: script }),
    '/settings': () => ({ type: 'application/json', body: JSON.stringify(settings) }),
  };
  const mountOf = (path: string): Mount | undefined => mounts[path.split('/')[1] ?? ''];
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '', 'http://page');
    const mount = mountOf(pathname);
    if (mount) return mount(request, response);
    if (pathname === '/report') {
      take((await json(request)) as PageReport);
      return void response.writeHead(204).end();
    }
    const page = pages[pathname]?.();
    if (!page) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': page.type, 'content-security-policy': policy }).end(page.body);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    isMounted: (url: string): boolean => URL.canParse(url) && mountOf(new URL(url).pathname) !== undefined,
    serve: (given: object): Promise<PageReport> => {
      settings = given;
      return new Promise((resolve) => {
        take = resolve;
      });
    },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
