import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import files from '@eaas/console/files';
import { toNodeHandler } from '@eaas/sdk/proxy';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
};

interface Entrance {
  readonly api_key: string;
  readonly expires_at: string;
  readonly tenant: string;
}

export type Api = (request: Request) => Promise<Response>;

export type Pages = Awaited<ReturnType<typeof openPages>>;

export async function openPages(first: Api) {
  let api = first;
  const entrances = new Map<string, Entrance>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  const pass = toNodeHandler(async (request) => {
    // As if a page of the service had sent it.
    request.headers.delete('origin');
    return api(request);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', 'http://pages');
    if (pathname.startsWith('/v1/')) return pass(request, response);
    if (pathname === '/console/session') {
      const { code } = (await json(request)) as { code: string };
      const entrance = entrances.get(code);
      entrances.delete(code);
      const body = entrance ?? { status: 401, title: 'Unauthorized', detail: 'wrong', code: 'unauthorized' };
      response.writeHead(entrance ? 201 : 401, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(body));
    }
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const path = fileURLToPath(new URL(`.${name}`, files));
    if (!existsSync(path)) return void response.writeHead(404).end();
    const type = types[path.replace(/.*\./, '')] ?? 'text/plain';
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy });
    response.end(readFileSync(path));
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    code: (entrance: Entrance) => {
      const code = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
      entrances.set(code, entrance);
      return code;
    },
    setApi: (next: Api) => {
      api = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
