import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';

import { createDatabase, environmentOf, testDatabase } from '@eaas/test-kit/database';
import { freePort } from '@eaas/test-kit/free-port';
import { selfSigned } from '@eaas/test-kit/certificate';
import { client } from '@eaas/test-kit/api';
import '@eaas/test-kit/matchers';
import {
  eaas,
  type Environment,
  type Finished,
  run,
  runShared,
  serve,
  type ServerProcess,
} from '@eaas/test-kit/program';

const directory = await newDirectory();
let database = await createDatabase();
const env = environmentOf(database.url);
await migrate(env);

afterAll(() => database.drop());

async function migrate(of: Environment): Promise<void> {
  const { code, stderr } = await run([...eaas, 'migrate'], of);
  if (code !== 0) throw new Error(stderr);
}

async function served(changes: Environment = {}): Promise<ServerProcess> {
  const server = await serve({ ...env, ...changes });
  onTestFinished(() => server.stop());
  return server;
}

/** The server of the tests that change nothing about its start. */
let common: Promise<ServerProcess> | undefined;
const ordinary = (): Promise<ServerProcess> => (common ??= serve(env));
afterAll(async () => (await common)?.stop());

type Changes = Record<string, string | undefined>;

const environmentWith = (changes: Changes) =>
  Object.fromEntries(
    Object.entries({ ...env, EAAS_PORT: '0', ...changes }).filter(([, value]) => value !== undefined),
  ) as Environment;
const refused = (changes: Changes): Promise<Finished> => run([...eaas, 'serve'], environmentWith(changes));

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

test.for([
  { EAAS_PORT: 'http' },
  { EAAS_ROOT_KEY: undefined },
  { EAAS_ROOT_KEY: undefined, EAAS_ROOT_KEY_FILE: '/nonexistent/root.key' },
  { EAAS_TLS_CERT_FILE: '/nonexistent/cert.pem' },
])('a start with %j fails, and the message names the variable', async (changes) => {
  const { code, stdout, stderr } = await runShared(['serve'], environmentWith(changes));
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain(Object.keys(changes).at(-1));
  expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
});

test('a starting server refuses connections', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  const database = once(silent, 'connection') as Promise<[Socket]>;
  await once(silent, 'listening');
  const { port: databasePort } = silent.address() as AddressInfo;
  const port = await freePort();
  const start = refused({
    EAAS_DATABASE_URL: `postgres://eaas@127.0.0.1:${databasePort}/eaas`,
    EAAS_PORT: String(port),
  });

  const [connection] = await database;
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  connection.destroy();
  silent.close();
  expect((await start).stderr).toContain('database');
});

describe('the database', () => {
  test('on a database without migrations, the start fails and names the command to run', async () => {
    const empty = await testDatabase();
    const own = environmentOf(empty.url);
    const { code, stdout, stderr } = await refused(own);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/eaas migrate/);
    await migrate(own);
    await migrate(own);
    const server = await served(own);
    expect(await client(server.baseUrl).get('/readyz')).toHaveStatus(200);
  });

  test('a server that uses the role that owns the tables starts with a warning', async () => {
    const least = await ordinary();
    const owner = await served({ EAAS_DATABASE_URL: database.url('owner') });
    await expect.poll(() => owner.log()).toMatch(/"level":"warn"[^\n]*owns the tables/);
    expect(least.log()).not.toMatch(/"level":"warn"[^\n]*owns the tables/);
    expect(await client(owner.baseUrl).get('/readyz')).toHaveStatus(200);
  });
});

test('with a certificate and its key the server uses TLS', async () => {
  const { certificate, key } = selfSigned();
  const files = {
    EAAS_TLS_CERT_FILE: await file('cert.pem', certificate),
    EAAS_TLS_KEY_FILE: await file('key.pem', key),
  };
  const server = await served({ ...files, EAAS_HOST: '0.0.0.0' });
  const { get } = await import('node:https');
  const answer = await new Promise<{ status: number | undefined; type: string | undefined }>(
    (resolve, reject) => {
      get(`${server.baseUrl}/v1/keys`, { ca: certificate, servername: 'localhost' }, (response) => {
        resolve({ status: response.statusCode, type: response.headers['content-type'] });
        response.resume();
      }).on('error', reject);
    },
  );
  expect(answer).toStrictEqual({ status: 401, type: 'application/problem+json' });
});
