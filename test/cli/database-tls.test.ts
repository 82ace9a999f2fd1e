import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { eaas, run } from '../conformance/program.ts';
import { selfSigned } from '../conformance/certificate.ts';
import { newRootKey } from './command-line.ts';

async function impostor(): Promise<number> {
  const { certificate: cert, key } = selfSigned();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => {});
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('an invalid certificate of the database ends a command with exit code 3', async () => {
  const env = {
    DATABASE_URL: `postgres://server@localhost:${await impostor()}/eaas?sslmode=verify-full`,
    EAAS_ROOT_KEY: newRootKey(),
  };
  const { code, stderr } = await run([...eaas, 'tenant', 'list'], env);
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr:
      'The database of DATABASE_URL cannot be reached or used: self-signed certificate: set NODE_EXTRA_CA_CERTS to the certificate of the ' +
      "authority that signed the database's certificate.\n",
  });
});
