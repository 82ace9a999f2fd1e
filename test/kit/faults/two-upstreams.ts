import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from './client.ts';

interface Response {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true });
const patience = 50_000;

/** Works like nginx with `proxy_next_upstream error http_503 non_idempotent` and a `backup` server. */
export async function proxyTo(upstreams: readonly Place[]) {
  const statuses = upstreams.map((): Record<number, number> => ({}));
  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    for (const end = performance.now() + patience; ; await sleep(50)) {
      let last: Response | undefined;
      for (const [nth, upstream] of upstreams.entries()) {
        last = await send(upstream, incoming, body);
        const counts = statuses[nth] ?? {};
        counts[last.status] = (counts[last.status] ?? 0) + 1;
        if (last.status !== 503 && last.status !== 0) break;
      }
      const { status = 0, headers = {}, body: answer = '' } = last ?? {};
      if ((status === 503 || status === 0) && performance.now() < end) continue;
      outgoing.writeHead(status === 0 ? 502 : status, headers).end(answer);
      return;
    }
  }
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    statuses,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function send({ port }: Place, incoming: IncomingMessage, body: Buffer): Promise<Response> {
  const { method, url: path, headers } = incoming;
  const call = request({ agent, host: '127.0.0.1', port, method, path, headers }).on('error', () => {});
  try {
    const responding = once(call, 'response');
    call.end(body);
    const [response] = (await responding) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
  } catch {
    return { status: 0, headers: {}, body: Buffer.alloc(0) };
  }
}
