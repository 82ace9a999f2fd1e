import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { listening } from '@eaas/test-kit/listening';
import { eaas, run } from '@eaas/test-kit/program';
import { selfSigned } from '@eaas/test-kit/certificate';
import { newRootKey, refusalOf } from '@eaas/test-kit/command-line';

const fields = Buffer.from('SFATAL\0C28000\0Mthe impostor refuses\0\0');
/** The message of the PostgreSQL protocol that refuses a connection. */
const refusal = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.of(fields.length + 4), fields]);

function impostor({ certificate: cert, key }: ReturnType<typeof selfSigned>): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => {});
      secure.once('data', () => secure.end(refusal));
    });
  });
  return listening(server);
}

test.each([
  [
    'localhost',
    'an unknown authority',
    {},
    false,
    /: self-signed certificate: set NODE_EXTRA_CA_CERTS to the/,
  ],
  ['127.0.0.1', 'another host', { withIp: false }, true, /IP: 127\.0\.0\.1 is not in the cert's list/],
  ['127.0.0.1', 'this address', { withIp: true }, true, /the impostor refuses/],
])(
  'a database at %s with a certificate of %s: exit code 3, with the reason',
  async (host, _, of, isTrusted, reason) => {
    const pair = selfSigned(of);
    const trusted = join(await newDirectory(), 'certificate.pem');
    writeFileSync(trusted, pair.certificate);
    const env = {
      EAAS_DATABASE_URL: `postgres://server@${host}:${await impostor(pair)}/eaas?sslmode=verify-full`,
      EAAS_ROOT_KEY: newRootKey(),
      ...(isTrusted && { NODE_EXTRA_CA_CERTS: trusted }),
    };
    // Node reads NODE_EXTRA_CA_CERTS when a process starts, so the command runs in a separate process.
    const listing = run([...eaas, 'tenant', 'list'], env, { cwd: dirname(trusted) });
    expect(await refusalOf(listing, 3)).toMatch(reason);
  },
);
