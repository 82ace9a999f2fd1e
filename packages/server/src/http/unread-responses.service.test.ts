import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { callOf } from '@eaas/protocol/internal-reference';
import { listen } from './testing/listen.ts';
import { authorization, memoryService } from './testing/memory-service.ts';

/** Larger than the buffers of a socket, so that a part of the response stays in the server. */
const large = 'x'.repeat(20 * 1024 * 1024);

test.each(['client', 'server'])(
  'a response that the %s cuts is logged and counted as aborted, and its share is free again',
  async (cutter) => {
    const page = callOf('GET /v1/audit').output as { logs: object[] };
    const [entry] = page.logs;
    const logs = [{ ...entry, metadata: { large } }];
    const { app, log, fetch, port, service } = await listen(
      memoryService({}, { 'GET /v1/audit': { ...page, logs } }),
    );
    const connections: Socket[] = [];
    app.server.on('connection', (socket: Socket) => connections.push(socket));
    const statuses = () =>
      log.flatMap((line) => {
        const { msg, status } = JSON.parse(line) as { msg: string; status?: unknown };
        return msg === 'request' ? [status] : [];
      });
    const socket = connect(port, '127.0.0.1').pause();
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write(`GET /v1/audit HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
    await expect.poll(() => connections[0]?.writableLength ?? 0).toBeGreaterThan(0);
    expect(service.fair.counts.held).toBeGreaterThan(0);
    const [connection] = cutter === 'client' ? [socket] : connections;
    connection?.destroy();
    await expect.poll(statuses).toEqual(['aborted']);
    expect(service.fair.counts.held).toBe(0);
    await (await fetch('/v1/audit')).text();
    await expect.poll(statuses).toEqual(['aborted', 200]);
    const metrics = await (await fetch('/metrics')).text();
    expect(metrics).toContain('{method="GET",route="/v1/audit",status="aborted"} 1\n');
    expect(metrics).toContain('{method="GET",route="/v1/audit",status="200"} 1\n');
  },
);
