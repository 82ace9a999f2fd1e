import { randomBytes } from 'node:crypto';
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

const newRootKey = () => randomBytes(32).toString('base64');

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

const refused = (changes: Changes): Promise<Finished> => run([...eaas, 'serve'], environmentWith(changes));

type Changes = Record<string, string | undefined>;

function environmentWith(changes: Changes): Environment {
  const all = { ...env, EAAS_PORT: '0', ...changes };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

const inJson = async <T>(command: string[], changes: Environment = {}): Promise<T> =>
  JSON.parse((await run([...eaas, ...command, '--json'], { ...env, ...changes })).stdout) as T;

async function newToken(changes: Environment = {}): Promise<string> {
  const name = `tenant ${randomBytes(4).toString('hex')}`;
  await inJson(['tenant', 'create', '--name', name], changes);
  const holder = ['--tenant', name, '--name', 'all', '--permissions', 'all'];
  return (await inJson<{ api_key: string }>(['api-key', 'create', ...holder], changes)).api_key;
}

describe('an invalid value stops the start with a message that names the variable', () => {
  const values: [string, string][] = [
    ['EAAS_DATABASE_URL', 'not a url'],
    ['EAAS_DATABASE_URL', 'mysql://localhost/eaas'],
    ['EAAS_ROOT_KEY', 'short'],
    ['EAAS_ROOT_KEY', Buffer.alloc(31).toString('base64')],
    ['EAAS_ROOT_KEY', Buffer.alloc(32).toString('hex')],
    ['EAAS_ROOT_KEY_FILE', '/nonexistent/root.key'],
    ['EAAS_ROOT_KEY_PREVIOUS', 'short'],
    ['EAAS_PORT', 'http'],
    ['EAAS_PORT', '65536'],
    ['EAAS_PORT', '-1'],
    ['EAAS_PORT', '80.5'],
    ['EAAS_HOST', 'not a host!'],
    ['EAAS_TRUST_PROXY', 'everyone'],
    ['EAAS_TRUST_PROXY', '1'],
    ['EAAS_TRUST_PROXY', '10.0.0.0/33'],
    ['EAAS_AUDIT_RETENTION_MONTHS', '0'],
    ['EAAS_AUDIT_RETENTION_MONTHS', '1201'],
    ['EAAS_AUDIT_RETENTION_MONTHS', '1.5'],
    ['EAAS_AUDIT_RETENTION_MONTHS', '-60'],
    ['EAAS_AUDIT_RETENTION_MONTHS', 'five years'],
    ['EAAS_AUDIT_RETENTION_MONTHS', '1e2'],
    ['EAAS_CHECKPOINT_DIR', '/var/lib/eaas'],
    ['EAAS_WORKERS', '2'],
    ['EAAS_LOG_LEVEL', 'loudest'],
    ['EAAS_TLS_CERT_FILE', '/nonexistent/cert.pem'],
    ['EAAS_INSECURE_HTTP', 'perhaps'],
  ];
  test.for(values)('the start fails with %s=%s and names the variable', async ([name, value]) => {
    const withoutKey = name === 'EAAS_ROOT_KEY_FILE' ? { EAAS_ROOT_KEY: undefined } : {};
    const changed = environmentWith({ ...withoutKey, [name]: value });
    const { code, stdout, stderr } = await runShared(['serve'], changed);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(name);
    expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  });

  test('the start fails without a root key if EAAS_DATABASE_URL is set', async () => {
    const { code, stdout, stderr } = await refused({ EAAS_ROOT_KEY: undefined });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('EAAS_ROOT_KEY');
  });

  test('the error about an invalid root key does not show the root key', async () => {
    const almost = Buffer.alloc(31, 0x5a).toString('base64');
    const { stdout, stderr } = await refused({ EAAS_ROOT_KEY: almost });
    expect(stdout + stderr).not.toContain(almost.slice(0, 20));
  });
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

  test('the start fails if the configured root key is not the root key of the database', async () => {
    await ordinary();
    const { code, stdout, stderr } = await refused({ EAAS_ROOT_KEY: newRootKey() });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/root key/i);
  });

  test('a server that uses the role that owns the tables starts with a warning', async () => {
    const least = await ordinary();
    const owner = await served({ EAAS_DATABASE_URL: database.url('owner') });
    await expect.poll(() => owner.log()).toMatch(/"level":"warn"[^\n]*owns the tables/);
    expect(least.log()).not.toMatch(/"level":"warn"[^\n]*owns the tables/);
    expect(await client(owner.baseUrl).get('/readyz')).toHaveStatus(200);
  });
});

describe('the root key', () => {
  test('the root key can come from a file', async () => {
    const path = await file('root.key', `${env['EAAS_ROOT_KEY']}\n`);
    const token = await newToken();
    const { EAAS_ROOT_KEY: _, ...others } = env;
    const server = await serve({ ...others, EAAS_ROOT_KEY_FILE: path });
    onTestFinished(() => server.stop());
    expect(await client(server.baseUrl, token).get('/v1/keys')).toHaveStatus(200);
  });

  test('a server with a new root key and the previous root key unwraps existing wrapped keys', async () => {
    const own = await testDatabase();
    const [old, next] = [environmentOf(own.url), newRootKey()];
    await migrate(old);
    const before = await served(old);
    const token = await newToken(old);
    const key = await client(before.baseUrl, token).post('/v1/keys', { name: 'kept' });
    const dek = newRootKey();
    const path = `/v1/keys/${key.body.key_id}` as const;
    const { wrapped_key } = (await client(before.baseUrl, token).post(`${path}/wrap`, { dek })).body;
    await before.stop();
    const rotating = { ...old, EAAS_ROOT_KEY: next, EAAS_ROOT_KEY_PREVIOUS: old['EAAS_ROOT_KEY'] ?? '' };
    const after = await served(rotating);
    const opened = await client(after.baseUrl, token).post(`${path}/unwrap`, { wrapped_key });
    expect(opened.body).toMatchObject({ dek });
  });
});

describe('EAAS_HOST and proxies', () => {
  test('an EAAS_HOST other than loopback needs EAAS_INSECURE_HTTP or, as below, a trusted proxy', async () => {
    const { code, stdout, stderr } = await refused({ EAAS_HOST: '0.0.0.0' });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/EAAS_TRUST_PROXY|EAAS_INSECURE_HTTP/);
    const insecure = await served({ EAAS_HOST: '0.0.0.0', EAAS_INSECURE_HTTP: '1' });
    expect(await client(insecure.baseUrl).get('/readyz')).toHaveStatus(200);
  });

  test('X-Forwarded-For is used only if a trusted proxy sent it', async () => {
    const token = await newToken();
    const proxies = { EAAS_HOST: '0.0.0.0', EAAS_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' };
    const [trusting, wary] = [await served(proxies), await ordinary()];
    const recorded = async (server: ServerProcess, forwarded: string) => {
      const api = client(server.baseUrl, token);
      const headers = { 'x-forwarded-for': forwarded };
      await api.post('/v1/keys', { name: `key ${randomBytes(4).toString('hex')}` }, { headers });
      return (await api.get('/v1/audit?limit=1')).body.logs[0]?.ip_address;
    };
    expect(await recorded(trusting, '203.0.113.7')).toBe('203.0.113.7');
    expect(await recorded(trusting, '198.51.100.1, 203.0.113.7, 10.1.2.3')).toBe('203.0.113.7');
    expect(await recorded(trusting, '2001:DB8:0:0:0:0:0:1')).toBe('2001:db8::1');
    expect(await recorded(trusting, '::ffff:203.0.113.7')).toBe('203.0.113.7');
    expect(await recorded(wary, '203.0.113.7')).toBe('127.0.0.1');
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
    const { code, stdout, stderr } = await refused({ EAAS_TLS_CERT_FILE: files.EAAS_TLS_CERT_FILE });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('EAAS_TLS_KEY_FILE');
  });
});

test('every request has a log line with its id and without secrets', async () => {
  const token = await newToken();
  const server = await ordinary();
  const api = client(server.baseUrl, token);
  const secret = 'a value that must not be logged';
  const refusedOne = await api.post('/v1/hash', { value: secret, key_id: secret });
  const id = refusedOne.headers.get('x-request-id') ?? '';
  const lines = (): string[] =>
    server
      .log()
      .split('\n')
      .filter((text) => text.includes(id));
  await expect.poll(lines).toHaveLength(1);
  const line = lines();
  expect(JSON.parse(line[0] ?? '')).toMatchObject({ request_id: id });
  expect(server.log()).not.toContain(token);
  expect(server.log()).not.toContain(secret);
});
