import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAdmission } from '../admission/admission.ts';
import { callOf } from '@eaas/protocol/reference';
import { listen } from './testing/listen.ts';
import { authorization, memoryDoors } from './testing/memory-doors.ts';

/** Larger than the buffers of a socket, so that a part of the response stays in the server. */
const large = 'x'.repeat(20 * 1024 * 1024);

async function listenWithLargePage() {
  const admission = createAdmission();
  const page = callOf('GET /v1/audit').output as { logs: object[] };
  const [entry] = page.logs;
  const logs = [{ ...entry, metadata: { large } }];
  const served = await listen(memoryDoors({ admission }, { 'GET /v1/audit': { ...page, logs } }));
  const ask = (): Socket => {
    const socket = connect(served.port, '127.0.0.1').pause();
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write(`GET /v1/audit HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
    return socket;
  };
  return { ...served, ask, counts: () => admission.shares.responses.counts };
}

test('if a tenant does not read its responses, the server closes the connection of the oldest response', async () => {
  const { ask, counts } = await listenWithLargePage();
  const first = ask();
  await expect.poll(() => counts().held).toBeGreaterThan(large.length);
  for (let nth = 1; nth <= 2; nth++) {
    ask();
    await expect.poll(() => counts().refused).toBe(nth);
  }
  expect(counts().held).toBeLessThan(2 * large.length);
  first.resume();
  await once(first, 'close');
  expect(first.bytesRead).toBeLessThan(large.length);
});

test('a response that the client reads or abandons no longer counts as unread', async () => {
  const { ask, counts, fetch } = await listenWithLargePage();
  const response = await fetch('/v1/audit');
  expect(response.status).toBe(200);
  expect((await response.text()).length).toBeGreaterThan(large.length);
  await expect.poll(() => counts().held).toBe(0);
  const socket = ask();
  await expect.poll(() => counts().held).toBeGreaterThan(large.length);
  socket.destroy();
  await expect.poll(() => counts().held).toBe(0);
});

test.each(['client', 'server'])(
  'a response that the %s cuts is logged and counted as aborted',
  async (cutter) => {
    const { app, ask, counts, log, fetch } = await listenWithLargePage();
    const connections: Socket[] = [];
    app.server.on('connection', (socket: Socket) => connections.push(socket));
    const statuses = () =>
      log.flatMap((line) => {
        const { msg, status } = JSON.parse(line) as { msg: string; status?: unknown };
        return msg === 'request' ? [status] : [];
      });
    const socket = ask();
    await expect.poll(() => counts().held).toBeGreaterThan(large.length);
    const [connection] = cutter === 'client' ? [socket] : connections;
    connection?.destroy();
    await expect.poll(statuses).toEqual(['aborted']);
    await (await fetch('/v1/audit')).text();
    await expect.poll(statuses).toEqual(['aborted', 200]);
    const metrics = await (await fetch('/metrics')).text();
    expect(metrics).toContain('{method="GET",route="/v1/audit",status="aborted"} 1\n');
    expect(metrics).toContain('{method="GET",route="/v1/audit",status="200"} 1\n');
  },
);
