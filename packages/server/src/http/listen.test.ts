import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listening } from '@eaas/test-kit/listening';
import { createApp } from './app.ts';
import { listenOn } from './listen.ts';
import { memoryService } from './testing/memory-service.ts';

const host = '127.0.0.1';

function newApp() {
  const app = createApp(memoryService(), { log: { write: () => {} } });
  onTestFinished(() => app.close());
  return app;
}

const takenPort = (): Promise<number> => listening(createServer(), host);

test('a server does not start if its port is taken', async () => {
  const port = await takenPort();
  await expect(listenOn(newApp(), { host, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('a server that may try several ports skips one that is taken', async () => {
  const [app, port] = [newApp(), await takenPort()];
  const found = await listenOn(app, { host, port, lastPort: port + 20 });
  expect(found).toBeGreaterThan(port);
  expect((await fetch(`http://${host}:${found}/healthz`)).status).toBe(200);
});

test('a server listens at the first address of a name only', async () => {
  const app = newApp();
  const listen = vi.spyOn(app, 'listen');
  await listenOn(app, { host: 'localhost', port: 0 });
  // By its name, Fastify would listen at all addresses of `localhost`.
  const { address } = await lookup('localhost');
  expect(listen).toHaveBeenCalledWith(expect.objectContaining({ host: address }));
  expect(app.addresses()).toMatchObject([{ address }]);
});

test('a server does not start at an address that the machine lacks', async () => {
  const documentation = '192.0.2.1';
  await expect(listenOn(newApp(), { host: documentation, port: 0 })).rejects.toMatchObject({
    code: 'EADDRNOTAVAIL',
  });
});
