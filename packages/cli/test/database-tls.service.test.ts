import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { eaas, run } from '@eaas/test-kit/program';
import { selfSigned } from '@eaas/test-kit/certificate';
import { newRootKey, refusalOf } from '@eaas/test-kit/command-line';

const fields = Buffer.from('SFATAL\0C28000\0Mthe impostor refuses\0\0');
/** The message of the PostgreSQL protocol that refuses a connection. */
const refusal = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.of(fields.length + 4), fields]);

async function impostor({ certificate: cert, key } = selfSigned()): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => {});
      secure.once('data', () => secure.end(refusal));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('an invalid certificate of the database ends a command with exit code 3', async () => {
  const env = {
    EAAS_DATABASE_URL: `postgres://server@localhost:${await impostor()}/eaas?sslmode=verify-full`,
    EAAS_ROOT_KEY: newRootKey(),
  };
  expect(await refusalOf(run([...eaas, 'tenant', 'list'], env), 3)).toBe(
    'The database of EAAS_DATABASE_URL cannot be reached or used: self-signed certificate: set ' +
      'NODE_EXTRA_CA_CERTS to the certificate of the authority that signed it.\n',
  );
});

test.each([
  { withIp: false, reason: /IP: 127\.0\.0\.1 is not in the cert's list/ },
  { withIp: true, reason: /the impostor refuses/ },
])(
  'a command connects to an IP address only if the certificate contains this address (it does: $withIp)',
  async ({ withIp, reason }) => {
    const pair = selfSigned({ withIp });
    const directory = await newDirectory();
    const trusted = join(directory, 'certificate.pem');
    writeFileSync(trusted, pair.certificate);
    const env = {
      EAAS_DATABASE_URL: `postgres://server@127.0.0.1:${await impostor(pair)}/eaas?sslmode=verify-full`,
      EAAS_ROOT_KEY: newRootKey(),
      NODE_EXTRA_CA_CERTS: trusted,
    };
    // Node reads NODE_EXTRA_CA_CERTS when a process starts, so the command runs in a separate process.
    const listing = run([...eaas, 'tenant', 'list'], env, { cwd: directory });
    expect(await refusalOf(listing, 3)).toMatch(reason);
  },
);
