import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { type AppOptions, createApp } from '../app.ts';
import { authorization, memoryDoors, type MemoryDoors } from './memory-doors.ts';

/** A served app, its address and what it logs, until the test ends. */
export interface Served {
  readonly app: FastifyInstance;
  readonly doors: MemoryDoors;
  readonly port: number;
  readonly log: string[];
  /** Fetches a path with the admitted API key. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Posts JSON, or text as it is. */
  readonly post: (path: string, body: unknown, init?: RequestInit) => Promise<Response>;
  /** Sends bytes as they are, in so many parts, and gives all that comes back until the connection closes. */
  readonly exchange: (...parts: (string | number)[]) => Promise<string>;
}

export async function listen(doors: MemoryDoors = memoryDoors(), options: AppOptions = {}): Promise<Served> {
  const log: string[] = [];
  const app = createApp(doors, { log: { write: (line) => log.push(line) }, ...options });
  // Before anything is awaited: afterwards a test that runs at the same time may be the current one.
  onTestFinished(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const send = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { authorization, ...(headers as object) } });
  return {
    app,
    doors,
    port,
    log,
    fetch: send,
    post: (path, body, { headers, ...init } = {}) =>
      send(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...(headers as object) },
        ...init,
      }),
    exchange: (...parts) => exchange(port, parts),
  };
}

/** A number among the parts is a pause in milliseconds. */
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
