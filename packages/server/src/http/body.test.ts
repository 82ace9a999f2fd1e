import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { keyId } from '@eaas/protocol/internal-reference';
import { listen, type Served, shareServer } from './testing/listen.ts';
import { authorization } from './testing/memory-service.ts';

const serve = shareServer();
const json = { 'content-type': 'application/json' };

function postChunked({ fetch }: Served, ...chunks: Uint8Array[]): Promise<Response> {
  const body = new ReadableStream({
    pull: (controller) => {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
  });
  return fetch('/v1/hash', { method: 'POST', headers: json, body, duplex: 'half' } as RequestInit);
}

it('the server reads a body that arrives slowly, in chunks that split a character', async () => {
  const served = await serve();
  const bytes = Buffer.from(JSON.stringify({ value: '€', key_id: keyId }));
  const at = bytes.indexOf(0xe2) + 1;
  const response = await postChunked(served, bytes.subarray(0, at), bytes.subarray(at));
  expect(response.status).toBe(200);
  expect(served.service.calls[0]?.input).toMatchObject({ value: '€' });
});

it('a body without a length may have 2 MiB, and is refused at the next byte, not at its end', async () => {
  const served = await serve();
  const bytes = Buffer.from(JSON.stringify({ value: '', key_id: keyId }).padEnd(2 ** 21));
  expect((await postChunked(served, bytes)).status).toBe(200);
  const socket = connect(served.port, '127.0.0.1');
  const head = `Host: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  socket.write(`POST /v1/hash HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`);
  socket.write(`${bytes.length.toString(16)}\r\n${bytes.toString()}\r\n1\r\n \r\n`);
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 413 /);
  socket.destroy();
});

it('a server that has refused a body closes before its deadline', async () => {
  const { app, post } = await listen();
  // The deadline of ten seconds is longer than any test may take.
  setTimeLimits(100);
  const response = await post('/v1/hash', ' '.repeat(2 ** 21 + 1), { headers: { connection: 'keep-alive' } });
  expect(response.status).toBe(413);
  await app.close();
});

it('a compressed body is refused with 415', async () => {
  const { post } = await serve();
  const coded = (coding: string) =>
    post('/v1/hash', { value: '', key_id: '' }, { headers: { 'content-encoding': coding } });
  expect((await coded('gzip')).status).toBe(415);
  expect((await coded('identity')).status).toBe(200);
});
