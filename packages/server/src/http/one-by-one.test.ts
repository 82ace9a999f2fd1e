import { expect, test } from 'vitest';
import { callOf } from '@eaas/protocol/reference';
import { listen } from './testing/listen.ts';
import { authorization, memoryDoors } from './testing/memory-doors.ts';

const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

test('the server handles the requests of one connection one after the other', async () => {
  let running = 0;
  let most = 0;
  const doors = memoryDoors(
    {},
    {
      'GET /v1/audit/checkpoint': async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        return { checkpoint: 'x', verifier_key: 'x', tenant_id: 'x', id: 1, hash: 'a'.repeat(64) };
      },
    },
  );
  const { exchange } = await listen(doors);
  const call = request('/v1/audit/checkpoint', `Authorization: ${authorization}\r\n`);
  const last = request('/nowhere', 'Connection: close\r\n');
  const answers = await exchange(call.repeat(20) + last);
  const statuses = Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
  expect(statuses).toEqual([...Array<string>(20).fill('200'), '404']);
  expect(most).toBe(1);
});

test('a connection gets its response while a hundred pipelined requests of another connection still wait', async () => {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const usage = (): unknown => (begin(), callOf('GET /v1/usage').output);
  const { exchange, fetch, doors } = await listen(memoryDoors({}, { 'GET /v1/usage': usage }));
  const call = request('/v1/usage', `Authorization: ${authorization}\r\n`);
  const flood = exchange(call.repeat(100) + request('/v1/usage', 'Connection: close\r\n'));
  await begun;
  expect((await fetch('/v1/usage')).status).toBe(200);
  expect(doors.calls.length).toBeLessThan(100);
  await flood;
  expect(doors.calls.length).toBe(101);
});

test.each([
  ['valid requests', request('/v1/usage', `Authorization: ${authorization}\r\n`)],
  ['requests without an API key', request('/')],
  ['requests whose path cannot be decoded', request('/%')],
])('a connection with more than a hundred waiting requests is closed: %s', async (_, call) => {
  const { app, exchange, fetch, log } = await listen();
  let parsed = 0;
  app.server.on('request', () => parsed++);
  const answers = await exchange(call.repeat(1_000));
  expect(answers.split('HTTP/1.1 ').length).toBeLessThan(100);
  expect(parsed).toBeLessThan(110);
  expect((await fetch('/v1/usage')).status).toBe(200);
  expect(log.length).toBeLessThan(100);
});
