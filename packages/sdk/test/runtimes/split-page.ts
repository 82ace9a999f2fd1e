import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { browserBuild } from '@eaas/test-kit/browser-build';

const policy = "default-src 'none'; script-src 'self'";
const html = '<!doctype html><script type="module" src="/page.js"></script>';

export async function serveSplitPage(code: string) {
  const { outputFiles } = await build({
    ...browserBuild,
    stdin: { contents: code, resolveDir: import.meta.dirname, sourcefile: 'page.js' },
    entryNames: 'page',
  });
  const files = new Map(
    outputFiles.map(({ path, contents }) => [`/${basename(path)}`, gzipSync(contents, { level: 9 })]),
  );
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    const headers = { 'cache-control': 'no-store', 'content-security-policy': policy };
    if (url === '/') return response.writeHead(200, { ...headers, 'content-type': 'text/html' }).end(html);
    const file = files.get(url);
    if (!file) return response.writeHead(404, headers).end();
    const type = { 'content-type': 'text/javascript', 'content-encoding': 'gzip' };
    return response.writeHead(200, { ...headers, ...type }).end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requested,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
