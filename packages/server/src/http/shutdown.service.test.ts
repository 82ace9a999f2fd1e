import { connect, type Socket } from 'node:net';
import { describe, it } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { listen } from './testing/listen.ts';
import { authorization, memoryService } from './testing/memory-service.ts';

const request = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`;

function open(port: number) {
  let text = '';
  const errors: Error[] = [];
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket
    .on('data', (part: string) => {
      text += part;
    })
    .on('error', (error) => errors.push(error));
  return {
    socket,
    errors,
    received: () => text,
    closed: new Promise<void>((resolve) => socket.once('close', () => resolve())),
  };
}

function slowService() {
  let onEvict = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    onEvict = resolve;
  });
  const keys = async () => {
    await gone;
    return { keys: [], count: 0, total: 0, limit: 50, offset: 0 };
  };
  return { service: memoryService({}, { 'GET /v1/keys': keys }), onEvict: () => onEvict() };
}

// Uses `expect.poll` from the context of the test, because the tests of this file run concurrently.
describe.concurrent('close()', () => {
  it('a closing server finishes running requests and refuses new ones', async ({ expect }) => {
    const { service, onEvict } = slowService();
    const { app, port } = await listen(service);
    const [running, idle, silent] = [open(port), open(port), open(port)];
    idle.socket.write(request('/healthz'));
    running.socket.write(request('/v1/keys'));
    await expect.poll(() => idle.received()).toContain('200 OK');
    await expect.poll(() => service.calls.length).toBe(1);

    const closed = app.close();
    await Promise.all([idle.closed, silent.closed]);
    expect(running.received()).toBe('');
    onEvict();
    await Promise.all([running.closed, closed]);
    expect(running.received()).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(running.received()).toMatch(/connection: close/i);
    expect(service.calls).toHaveLength(1);
  });

  it.for([
    ['a request', '/v1/usage', '"code":"unavailable"'],
    ['the readiness check', '/readyz', '"reasons":["the service is stopping"]'],
  ] as const)('while the server closes, %s on a kept-alive connection gets 503', async (row, { expect }) => {
    const [, path, content] = row;
    const { service, onEvict } = slowService();
    const { app, port } = await listen(service);
    const sockets: Socket[] = [];
    app.server.on('connection', (socket: Socket) => sockets.push(socket));
    const [running, late] = [open(port), open(port)];
    running.socket.write(request('/v1/keys'));
    late.socket.write(request('/healthz'));
    await expect.poll(() => late.received()).toContain('200 OK');
    const read = sockets.find(({ remotePort }) => remotePort === late.socket.localPort);
    const before = read?.bytesRead ?? 0;
    const part = `GET ${path} HTTP/1.1\r\nHost: x\r\n`;
    late.socket.write(part);
    await expect.poll(() => service.calls.length).toBe(1);
    await expect.poll(() => read?.bytesRead).toBe(before + part.length);

    const closed = app.close();
    await expect.poll(() => app.server.listening).toBe(false);
    late.socket.write('\r\n');
    await late.closed;
    const [, refusal] = late.received().split('HTTP/1.1 503 Service Unavailable');
    expect(refusal).toMatch(/\r\nconnection: close\r\n(.+\r\n)*retry-after: 1\r\n/i);
    expect(late.received()).toContain(content);
    expect(service.arrivals).toHaveLength(1);
    onEvict();
    await Promise.all([closed, running.closed]);
    expect(running.received()).toContain('200 OK');
  });

  it('a closing server reads the refused body before it ends the connection', async ({ expect }) => {
    const { service, onEvict } = slowService();
    const { app, port } = await listen(service);
    const [running, upload] = [open(port), open(port)];
    running.socket.write(request('/v1/keys'));
    await expect.poll(() => service.calls.length).toBe(1);
    const body = Buffer.alloc(1_000_000, ' ');
    upload.socket.write(
      `POST /v1/hash HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`,
    );
    const closed = app.close();
    await expect.poll(() => app.server.listening).toBe(false);
    upload.socket.write('\r\n');
    upload.socket.write(body);
    await upload.closed;
    expect(upload.errors).toEqual([]);
    expect(upload.received()).toContain('503 Service Unavailable');
    onEvict();
    await Promise.all([closed, running.closed]);
  });

  it('a closing server that has ended an idle connection does not execute a later request on it', async ({
    expect,
  }) => {
    const { app, port, service } = await listen();
    const late = open(port);
    late.socket.allowHalfOpen = true;
    late.socket.write(request('/healthz'));
    await expect.poll(() => late.received()).toContain('200 OK');
    const ended = new Promise((resolve) => late.socket.once('end', resolve));
    const closed = app.close();
    await ended;
    late.socket.end(request('/v1/usage'));
    await Promise.all([closed, late.closed]);
    expect(late.errors).toEqual([]);
    expect(service.calls).toEqual([]);
  });
});

describe('the deadline of close()', () => {
  it('a server that is closed aborts a request that still runs at the deadline', async ({ expect }) => {
    const { service } = slowService();
    const { app, port } = await listen(service);
    const running = open(port);
    running.socket.write(request('/v1/keys'));
    await expect.poll(() => service.calls.length).toBe(1);
    setTimeLimits(0.02);
    await Promise.all([app.close(), running.closed]);
    expect(running.received()).toBe('');
  });
});
