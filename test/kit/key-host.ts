// A host that publishes the keys of a sign-in, well or badly.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { closing } from './closing.ts';

interface Options {
  readonly address?: string;
  readonly port?: number;
  readonly tls?: { readonly certificate: string; readonly key: string };
}

export async function keyHost(
  answer: object | RequestListener = {},
  { address = '127.0.0.1', port = 0, tls }: Options = {},
) {
  const respond: RequestListener = (request, response) => {
    host.count++;
    if (typeof host.answer === 'function') (host.answer as RequestListener)(request, response);
    else response.end(JSON.stringify(host.answer));
  };
  const server = tls
    ? createTlsServer({ cert: tls.certificate, key: tls.key }, respond)
    : createServer(respond);
  server.listen(port, address);
  await once(server, 'listening');
  const name = `${address}:${(server.address() as AddressInfo).port}`;
  const host = {
    uri: `${tls ? 'https' : 'http'}://${name}/keys`,
    /** As `EAAS_ISSUER_HOSTS` names it. */
    host: name,
    /** How many requests have come. */
    count: 0,
    /** What it responds: an object as JSON, or what the function does. */
    answer,
  };
  return closing(Promise.resolve(host), async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
}
