import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type ProxyOptions, toNodeHandler } from '@eaas/sdk/proxy';
import { onTestFinished } from 'vitest';
import { setUp, wrapPath } from './proxied.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export async function serve(
  options: Partial<ProxyOptions> = {},
  before: (req: IncomingMessage, next: () => void, res: ServerResponse) => void = (_, next) => next(),
) {
  const { proxy, sent, events } = setUp(options);
  const handled: Promise<void>[] = [];
  const handler: Handler = toNodeHandler(proxy);
  const server = createServer((req, res) => before(req, () => void handled.push(handler(req, res)), res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const post = (body: BodyInit, headers: Record<string, string> = {}, path = wrapPath) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${port}`, ...headers },
      body,
      duplex: 'half',
    } as RequestInit);
  return { post, port, sent, events, handled };
}

export async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}
