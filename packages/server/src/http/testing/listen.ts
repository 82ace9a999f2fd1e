// Starts the HTTP side on a service in memory, for the tests of this folder.
import { connect } from 'node:net';
import { afterAll, onTestFinished } from 'vitest';
import { type AppOptions, createApp } from '../app.ts';
import { authorization, memoryService, type MemoryService } from './memory-service.ts';

export type Served = Awaited<ReturnType<typeof listen>>;

export function listen(service?: MemoryService, options?: AppOptions) {
  const served = open(service, options);
  onTestFinished(async () => (await served).app.close());
  return served;
}

export function shareServer(service?: MemoryService, options?: AppOptions) {
  let shared: Promise<Served> | undefined;
  afterAll(async () => (await shared)?.app.close());
  return async (): Promise<Served> => {
    const served = await (shared ??= open(service, options));
    served.service.calls.length = 0;
    served.service.arrivals.length = 0;
    return served;
  };
}

const apiPage = Buffer.from(`<style>p{color:red}</style><p>API</p>
<li data-page="/"><a href="/">Playground</a></li><li data-page="/console/"><a href="/console/">Console</a></li>
`);

async function open(service = memoryService(), options: AppOptions = {}) {
  const log: string[] = [];
  const app = createApp(service, { log: { write: (line) => log.push(line) }, apiPage, ...options });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const send = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { authorization, connection: 'close', ...(headers as object) },
    });
  return {
    app,
    service,
    port,
    log,
    fetch: send,
    post: (path: string, body: unknown, { headers, ...init }: RequestInit = {}) =>
      send(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...(headers as object) },
        ...init,
      }),
    exchange: (...parts: (string | number)[]) => exchange(port, parts),
  };
}

async function exchange(port: number, parts: readonly (string | number)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk)).on('close', () => resolve());
    socket.on('error', () => undefined);
  });
  for (const part of parts) {
    if (typeof part === 'number') await new Promise((resolve) => setTimeout(resolve, part));
    else socket.write(part);
  }
  await closed;
  return Buffer.concat(chunks).toString();
}
