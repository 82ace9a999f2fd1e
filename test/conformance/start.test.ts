import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import { selfSigned } from './certificate.ts';
import { client } from './client.ts';
import { covers } from './covers.ts';
import './matchers.ts';
import {
  eaas,
  type Environment,
  type Finished,
  freePort,
  run,
  serve,
  type ServerProcess,
} from './program.ts';

let directory: string;
let database: TestDatabase;
let env: Environment;

const newRootKey = () => randomBytes(32).toString('base64');

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'eaas-start-'));
  database = await createDatabase();
  env = environment(database, newRootKey());
  await migrate(env);
});

afterAll(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

async function migrate(of: Environment): Promise<void> {
  const { code, stderr } = await run([...eaas, 'migrate'], of);
  if (code !== 0) throw new Error(stderr);
}

function environment(of: TestDatabase, rootKey: string): Environment {
  return {
    DATABASE_URL: of.url('server'),
    EAAS_MIGRATE_DATABASE_URL: of.url('owner'),
    EAAS_ROOT_KEY: rootKey,
  };
}

async function served(changes: Environment = {}, scheme?: 'https'): Promise<ServerProcess> {
  const server = await serve({ ...env, ...changes }, scheme);
  onTestFinished(() => server.stop());
  return server;
}

/** `eaas serve`, which is expected to end by itself. */
async function refused(changes: Record<string, string | undefined>): Promise<Finished> {
  const all = { ...env, EAAS_PORT: String(await freePort()), ...changes };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return run([...eaas, 'serve'], Object.fromEntries(given));
}

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

const inJson = async <T>(command: string[], changes: Environment = {}): Promise<T> =>
  JSON.parse((await run([...eaas, ...command, '--json'], { ...env, ...changes })).stdout) as T;

/** A token of a new tenant of this database. */
async function newToken(changes: Environment = {}): Promise<string> {
  const name = `tenant ${randomBytes(4).toString('hex')}`;
  await inJson(['tenant', 'create', '--name', name], changes);
  const holder = ['--tenant', name, '--name', 'all', '--permissions', 'all'];
  return (await inJson<{ api_key: string }>(['api-key', 'create', ...holder], changes)).api_key;
}

describe('a value that cannot be used stops the start with a sentence that names the variable', () => {
  const values: [string, string][] = [
    ['DATABASE_URL', 'not a url'],
    ['DATABASE_URL', 'mysql://localhost/eaas'],
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
    ['EAAS_LOG_LEVEL', 'loudest'],
    ['EAAS_TLS_CERT_FILE', '/nonexistent/cert.pem'],
    ['EAAS_INSECURE_HTTP', 'perhaps'],
  ];
  test.for(values)(
    '%s=%s',
    covers(
      'contract: A value that cannot be used stops the start with a sentence that names the variable.',
      'contract: EAAS_AUDIT_RETENTION_MONTHS: a whole number from 1 to 1200, else no start.',
      'contract: Environment: `EAAS_ROOT_KEY` or `EAAS_ROOT_KEY_FILE` (32 bytes base64), `EAAS_ROOT_KEY_PREVIOUS` for rotation.',
      'contract: Environment: `EAAS_HOST`, `EAAS_PORT` (8080), `EAAS_TRUST_PROXY`, `EAAS_LOG_LEVEL`.',
    ),
    async ([name, value]) => {
      const withoutKey = name === 'EAAS_ROOT_KEY_FILE' ? { EAAS_ROOT_KEY: undefined } : {};
      const { code, stdout, stderr } = await refused({ ...withoutKey, [name]: value });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain(name);
      expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
    },
  );

  test(
    'a root key that is missing, on a database of our own',
    covers(
      'contract: Environment: `EAAS_ROOT_KEY` or `EAAS_ROOT_KEY_FILE` (32 bytes base64), `EAAS_ROOT_KEY_PREVIOUS` for rotation.',
    ),
    async () => {
      const { code, stdout, stderr } = await refused({ EAAS_ROOT_KEY: undefined });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain('EAAS_ROOT_KEY');
    },
  );

  test(
    'the root key itself is never repeated',
    covers(
      'contract: `detail` says what to do next and never holds key material, plaintext, a token or SQL.',
    ),
    async () => {
      const almost = Buffer.alloc(31, 0x5a).toString('base64');
      const { stdout, stderr } = await refused({ EAAS_ROOT_KEY: almost });
      expect(stdout + stderr).not.toContain(almost.slice(0, 20));
    },
  );
});

describe('retention', () => {
  test.for(['1', '60', '1200'])(
    'EAAS_AUDIT_RETENTION_MONTHS=%s starts',
    covers('contract: EAAS_AUDIT_RETENTION_MONTHS: a whole number from 1 to 1200, else no start.'),
    async (months) => {
      const { baseUrl } = await served({ EAAS_AUDIT_RETENTION_MONTHS: months });
      expect(await client(baseUrl).get('/readyz')).toHaveStatus(200);
    },
  );
});

describe('the database', () => {
  test(
    'that nobody migrated stops the start with the command to run; after it the server starts',
    covers(
      'contract: On any other database an unmigrated schema stops it with the command to run.',
      'contract: `eaas migrate` prepares a database, `eaas serve` serves it.',
    ),
    async () => {
      const empty = await createDatabase();
      onTestFinished(() => empty.drop());
      const own = environment(empty, newRootKey());
      const { code, stdout, stderr } = await refused(own);
      expect(code).not.toBe(0);
      expect(stdout + stderr).toMatch(/eaas migrate/);
      await migrate(own);
      await migrate(own);
      const server = await served(own);
      expect(await client(server.baseUrl).get('/readyz')).toHaveStatus(200);
    },
  );

  test(
    'opened with another root key stops the start',
    covers('contract: The server refuses to start on a root key that does not open the database.'),
    async () => {
      const right = await served();
      await right.stop();
      const { code, stdout, stderr } = await refused({ EAAS_ROOT_KEY: newRootKey() });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toMatch(/root key/i);
    },
  );

  test(
    'as the role that owns the tables: it starts, with a warning',
    covers(
      'contract: The server runs under a least-privilege role; under one that owns the tables it starts with a warning.',
    ),
    async () => {
      const least = await served();
      expect(least.log()).not.toMatch(/"level":"warn"/);
      const owner = await served({ DATABASE_URL: database.url('owner') });
      expect(owner.log()).toMatch(/"level":"warn"[^\n]*(owns|role)/i);
      expect(await client(owner.baseUrl).get('/readyz')).toHaveStatus(200);
    },
  );
});

describe('the root key', () => {
  test(
    'comes from a file as well',
    covers(
      'contract: Environment: `EAAS_ROOT_KEY` or `EAAS_ROOT_KEY_FILE` (32 bytes base64), `EAAS_ROOT_KEY_PREVIOUS` for rotation.',
    ),
    async () => {
      const path = await file('root.key', `${env['EAAS_ROOT_KEY']}\n`);
      const token = await newToken();
      const { EAAS_ROOT_KEY: _, ...others } = env;
      const server = await serve({ ...others, EAAS_ROOT_KEY_FILE: path });
      onTestFinished(() => server.stop());
      expect(await client(server.baseUrl, token).get('/v1/keys')).toHaveStatus(200);
    },
  );

  test(
    'is changed with the previous one beside it, and nobody notices',
    covers(
      'contract: Environment: `EAAS_ROOT_KEY` or `EAAS_ROOT_KEY_FILE` (32 bytes base64), `EAAS_ROOT_KEY_PREVIOUS` for rotation.',
    ),
    async () => {
      const own = await createDatabase();
      onTestFinished(() => own.drop());
      const [old, next] = [environment(own, newRootKey()), newRootKey()];
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
    },
  );
});

describe('where it listens', () => {
  test(
    'another address than 127.0.0.1 needs a word about plain HTTP',
    covers(
      'contract: Listens on 127.0.0.1 by default; on any other address plain HTTP needs `EAAS_TRUST_PROXY` or `EAAS_INSECURE_HTTP=1`.',
    ),
    async () => {
      const { code, stdout, stderr } = await refused({ EAAS_HOST: '0.0.0.0' });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toMatch(/EAAS_TRUST_PROXY|EAAS_INSECURE_HTTP/);
      const insecure = await served({ EAAS_HOST: '0.0.0.0', EAAS_INSECURE_HTTP: '1' });
      expect(await client(insecure.baseUrl).get('/readyz')).toHaveStatus(200);
      const proxied = await served({ EAAS_HOST: '0.0.0.0', EAAS_TRUST_PROXY: '127.0.0.1' });
      expect(await client(proxied.baseUrl).get('/readyz')).toHaveStatus(200);
    },
  );

  test(
    'behind a proxy that it trusts, an entry shows the client; of anybody else a forwarded address is ignored',
    covers(
      'contract: `ip_address` in RFC 5952 form, IPv4-mapped as IPv4, null without a client.',
      'contract: Listens on 127.0.0.1 by default; on any other address plain HTTP needs `EAAS_TRUST_PROXY` or `EAAS_INSECURE_HTTP=1`.',
    ),
    async () => {
      const token = await newToken();
      const [trusting, wary] = [await served({ EAAS_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' }), await served()];
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
    },
  );

  test(
    'with a certificate and its key it speaks TLS',
    covers(
      'contract: TLS: `EAAS_TLS_CERT_FILE` and `EAAS_TLS_KEY_FILE`, or a proxy in front.',
      'interface: The service is a REST JSON API over HTTPS.',
    ),
    async () => {
      const { certificate, key } = selfSigned();
      const files = {
        EAAS_TLS_CERT_FILE: await file('cert.pem', certificate),
        EAAS_TLS_KEY_FILE: await file('key.pem', key),
      };
      const server = await served({ ...files, EAAS_HOST: '0.0.0.0' }, 'https');
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
    },
  );
});

test(
  'every request has a line in the log, with its id and without its secrets',
  covers('contract: The same id is in its log line.'),
  async () => {
    const token = await newToken();
    const server = await served();
    const api = client(server.baseUrl, token);
    const secret = 'a value that no log may hold';
    const refusedOne = await api.post('/v1/hash', { value: secret, key_id: secret });
    const id = refusedOne.headers.get('x-request-id') ?? '';
    await server.stop();
    const line = server
      .log()
      .split('\n')
      .filter((text) => text.includes(id));
    expect(line).toHaveLength(1);
    expect(JSON.parse(line[0] ?? '')).toMatchObject({ request_id: id });
    expect(server.log()).not.toContain(token);
    expect(server.log()).not.toContain(secret);
  },
);
