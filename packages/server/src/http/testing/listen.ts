import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { createApp } from '../app.ts';
import type { AppOptions } from '../server-options.ts';
import { authorization, memoryDoors, type MemoryDoors } from './memory-doors.ts';

export type Served = Awaited<ReturnType<typeof listen>>;

export async function listen(doors: MemoryDoors = memoryDoors(), options: AppOptions = {}) {
  const log: string[] = [];
  const app = createApp(doors, { log: { write: (line) => log.push(line) }, ...options });
  // The hook is registered before the first `await`, because after an `await` a concurrent test can be Vitest's current
  // test.
  onTestFinished(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const send = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { authorization, connection: 'close', ...(headers as object) },
    });
  return {
    app,
    doors,
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
