import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { selfSigned } from '@eaas/test-kit/certificate';
import { authorization } from './testing/memory-service.ts';
import { listen } from './testing/listen.ts';

function newCertificate(): { cert: string; key: string } {
  const { certificate, key } = selfSigned();
  return { cert: certificate, key };
}

it('the server uses HTTP/1.1 over TLS and sends Strict-Transport-Security', async () => {
  const tls = newCertificate();
  const { port } = await listen(undefined, { tls });
  const agent = new Agent({ ca: tls.cert, ALPNProtocols: ['h2', 'http/1.1'] });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/v1/usage', headers: { authorization }, agent }, resolve).on(
      'error',
      reject,
    );
  });
  answer.resume();
  agent.destroy();
  expect([answer.statusCode, answer.httpVersion]).toEqual([200, '1.1']);
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
});

it('a server with TLS refuses plain HTTP and continues to serve', async () => {
  const { exchange, log } = await listen(undefined, { tls: newCertificate() });
  expect(await exchange('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).not.toContain('200');
  expect(log.join('')).not.toContain('"level":"error"');
});

it.each([
  ['silent', ''],
  ['in the middle of its handshake', '\u0016\u0003\u0001\u0002\u0000\u0001'],
])('a server with TLS that stops does not wait for a connection that is %s', async (_, bytes) => {
  const { app, port } = await listen(undefined, { tls: newCertificate() });
  const accepted = once(app.server, 'connection');
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(bytes);
  await accepted;
  const ended = once(app.server, 'tlsClientError') as Promise<NodeJS.ErrnoException[]>;
  const [[error]] = await Promise.all([ended, app.close()]);
  expect(error?.code).not.toBe('ERR_TLS_HANDSHAKE_TIMEOUT');
  socket.destroy();
});
