import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const token = 'hvs.secret-of-the-test';

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, string>;
}

type Respond = (request: Received) => { status?: number; body: unknown };

export const honest: Respond = ({ path, headers, body }) => {
  if (headers['x-vault-token'] !== token) return { status: 403, body: { errors: ['permission denied'] } };
  const reversed = (text = ''): string => Array.from(text).toReversed().join('');
  return path?.includes('/encrypt/')
    ? { body: { data: { ciphertext: `vault:v1:${reversed(body['plaintext'])}` } } }
    : { body: { data: { plaintext: reversed(body['ciphertext']?.slice('vault:v1:'.length)) } } };
};

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export async function fakeTransit(respond: Respond = honest, tls?: { cert: string; key: string }) {
  const requests: Received[] = [];
  const handle: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
      const received = { path: request.url, headers: request.headers, body };
      requests.push(received);
      const answer = respond(received);
      response.statusCode = answer.status ?? 200;
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    });
  };
  const server = tls ? createSecureServer(tls, handle) : createServer(handle);
  const address = `${tls ? 'https' : 'http'}://127.0.0.1:${await listen(server)}`;
  return { requests, env: { VAULT_ADDR: address, VAULT_TOKEN: token } };
}
