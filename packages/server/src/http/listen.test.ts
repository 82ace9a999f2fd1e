import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '@eaas/test-kit/listening';
import { createApp } from './app.ts';
import { listenOn } from './listen.ts';
import { memoryService } from './testing/memory-service.ts';

const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
// The second host is not ::1, because some machines have no IPv6. Linux has all addresses of 127.0.0.0/8.
const hosts = ['127.0.0.1', '127.0.0.2'];

async function serveOn(addresses: readonly string[]) {
  const app = createApp(memoryService(), { log: { write: () => {} } });
  onTestFinished(() => app.close());
  return { app, port: await listenOn(app, addresses, { port: 0 }) };
}

const takenPort = (host: string): Promise<number> => listening(createServer(), host);

async function openIdle(host: string, port: number) {
  const socket = connect(port, host).setEncoding('utf8');
  const seen = { socket, text: '', errors: [] as Error[], closed: once(socket, 'close') };
  socket.on('data', (part: string) => (seen.text += part)).on('error', (error) => seen.errors.push(error));
  socket.write(request);
  await expect.poll(() => seen.text).toContain('200 OK');
  return seen;
}

test('a server does not start if its port is taken on one address', async () => {
  const port = await takenPort('127.0.0.2');
  const app = createApp(memoryService(), { log: { write: () => {} } });
  onTestFinished(() => app.close());
  await expect(listenOn(app, hosts, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test.each([
  ['its first address', '127.0.0.1'],
  ['its second address', '127.0.0.2'],
])('a server that may try several ports skips one that is taken on %s', async (_, taken) => {
  const port = await takenPort(taken);
  const app = createApp(memoryService(), { log: { write: () => {} } });
  const found = await listenOn(app, hosts, { port, lastPort: port + 20 });
  expect(found).toBeGreaterThan(port);
  const idle = await Promise.all(hosts.map((host) => openIdle(host, found)));
  // Neither address has the port that was skipped.
  const free = hosts.find((host) => host !== taken) ?? '';
  await expect(fetch(`http://${free}:${port}/healthz`)).rejects.toThrow('fetch failed');
  await app.close();
  await Promise.all(idle.map(({ closed }) => closed));
  await expect(fetch(`http://127.0.0.1:${found}/healthz`)).rejects.toThrow('fetch failed');
});

test('a server skips an address that the machine lacks, and does not start if the machine has none of its addresses', async () => {
  const documentation = '192.0.2.1';
  const { port } = await serveOn([documentation, '127.0.0.1']);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  await expect(serveOn([documentation])).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
});
