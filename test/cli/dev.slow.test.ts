import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { rewrapIndexKey } from '@eaas/sdk/fields';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eaas as program, type Environment, launch, run, serve } from '../conformance/program.ts';
import { jsonLines, newDirectory } from './command-line.ts';

let folder: string;
let data: string;
beforeEach(async () => {
  folder = await newDirectory();
  data = join(folder, '.eaas');
});

interface Started {
  readonly output: string;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

async function dev(args: readonly string[] = [], env: Environment = {}): Promise<Started> {
  const { child, stdout, stderr } = launch([...program, 'dev', ...args], { EAAS_PORT: '0', ...env }, folder);
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  onTestFinished(stop);
  const ready = /^Eaas is ready on (http:\S+)\. [^]*^Try it .*\n/m;
  const isSettled = () => child.exitCode !== null || ready.test(stdout());
  await expect.poll(isSettled).toBe(true);
  const [output, baseUrl = ''] = ready.exec(stdout()) ?? [];
  if (output === undefined) throw new Error(`eaas dev ended: ${stdout()}${stderr()}`);
  return { output, baseUrl, stop };
}

const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(Array.from(text.matchAll(/^(EAAS_\w+)=(.*)$/gm), ([, name, value]) => [name, value]));

const eaas = async <T>(...args: string[]): Promise<T[]> =>
  jsonLines<T>((await run([...program, ...args, '--json'], {}, { cwd: folder })).stdout);

async function expectToWork(variables: Record<string, string>): Promise<void> {
  const { EAAS_BASE_URL: baseUrl = '', EAAS_API_KEY: apiKey = '', EAAS_KEY_ID: keyId = '' } = variables;
  const client = new EaasClient({ baseUrl, apiKey, keyId });
  const { ciphertext } = await client.encrypt('Grüße');
  expect(await client.decrypt(ciphertext, { as: 'text' })).toBe('Grüße');
  expect(await client.hash('ada@example.com')).toMatch(/^[\da-f]{64}$/);
  expect(await rewrapIndexKey(client, variables['EAAS_INDEX_KEY'] ?? '')).toMatch(/^eaas_ik_1\./);
  await expect(client.keys.create({ name: 'other' })).rejects.toMatchObject({ code: 'permission_missing' });
}

async function expectPrintedCallToWork({ output }: Started): Promise<void> {
  const [, call = ''] = /^Try it +(.*)$/m.exec(output) ?? [];
  const { stdout } = await run(['sh', '-c', `${call} --silent`], {});
  expect(JSON.parse(stdout)).toMatchObject({ hash: expect.stringMatching(/^[\da-f]{64}$/) as string });
}

test('a second start of eaas dev keeps the data of the first', async () => {
  const first = await dev();
  const variables = variablesIn(first.output);
  expect(Object.keys(variables)).toEqual(['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID', 'EAAS_INDEX_KEY']);
  expect(variables['EAAS_BASE_URL']).toBe(first.baseUrl);
  await expectToWork(variables);
  await expectPrintedCallToWork(first);
  await first.stop();

  const second = await dev();
  expect(second.output).not.toContain('eaas_sk_');
  expect(second.output).toContain('The API key was shown at the first start.');
  await expectToWork({ ...variables, EAAS_BASE_URL: second.baseUrl });
  expect(await eaas('tenant', 'list')).toHaveLength(1);
  expect(await eaas('key', 'list', '--tenant', 'dev')).toHaveLength(1);
  expect(await eaas('api-key', 'list', '--tenant', 'dev')).toHaveLength(1);
});

test('the code in the URL of eaas dev is valid for one sign-in, and pages of other origins cannot use the code', async () => {
  const { output, baseUrl } = await dev();
  const [, code = ''] = /^Playground +http:\S+\/#code=([\w-]{43})$/m.exec(output) ?? [];
  expect(await (await fetch(baseUrl)).text()).toContain('<title>Eaas playground</title>');
  const own = { origin: baseUrl, 'content-type': 'application/json' };
  const signIn = (headers: Record<string, string>) =>
    fetch(`${baseUrl}/console/session`, { method: 'POST', headers, body: JSON.stringify({ code }) });
  expect((await signIn({ ...own, origin: 'http://evil.example' })).status).toBe(403);
  const opened = await signIn(own);
  expect(opened.status).toBe(201);
  const { api_key, tenant } = (await opened.json()) as Record<string, string>;
  expect(tenant).toBe('dev');
  expect((await signIn(own)).status).toBe(401);
  const headers = { ...own, authorization: `Bearer ${api_key}` };
  const apiKeys = await eaas<{ name: string; permissions: string[] }>('api-key', 'list', '--tenant', 'dev');
  expect(apiKeys.find(({ name }) => name === 'console')?.permissions.toSorted()).toEqual(
    ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'audit.read'].toSorted(),
  );
  const audit = await fetch(`${baseUrl}/v1/audit?limit=1`, { headers });
  expect(await audit.json()).toMatchObject({
    logs: [{ action: 'api_key.create', actor: 'operator', ip_address: '127.0.0.1' }],
  });
});

test('a later start of eaas dev --env keeps the API key in .env', async () => {
  const path = join(folder, '.env');
  await writeFile(path, 'PORT=3000\nEAAS_API_KEY=eaas_sk_old\n', { mode: 0o644 });
  const first = await dev(['--env']);
  expect(first.output).not.toContain('eaas_sk_');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, 'utf8');
  expect(text).toMatch(/^PORT=3000\nEAAS_API_KEY=eaas_sk_\w{49}\nEAAS_BASE_URL=/);
  await expectToWork(variablesIn(text));
  await first.stop();

  const second = await dev(['--env']);
  const kept = variablesIn(await readFile(path, 'utf8'));
  expect(kept).toEqual({ ...variablesIn(text), EAAS_BASE_URL: second.baseUrl });
  await second.stop();

  await expectPrintedCallToWork(await dev(['--env', "Ada's app.env"]));
  const other = variablesIn(await readFile(join(folder, "Ada's app.env"), 'utf8'));
  expect(other['EAAS_API_KEY']).not.toBe(kept['EAAS_API_KEY']);
  await expectToWork(other);
  expect(await eaas('api-key', 'list', '--tenant', 'dev')).toHaveLength(2);
});

test('eaas dev uses the next free port unless EAAS_PORT is set', async () => {
  const holder = createServer();
  onTestFinished(() => void holder.close());
  await new Promise<void>((resolve) => {
    holder.once('error', () => resolve()).listen(8080, '127.0.0.1', resolve);
  });
  const { child, stdout } = launch([...program, 'dev'], { EAAS_DATA_DIR: data }, folder);
  const ended = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(stdout).toMatch(/^Try it /m);
  const [, port = ''] = /^Port 8080 is in use, so the server listens on port (\d+)\./m.exec(stdout()) ?? [];
  expect(Number(port)).toBeGreaterThan(8080);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  child.kill('SIGTERM');
  await ended;

  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const named = { EAAS_PORT: String((taken.address() as AddressInfo).port) };
  const refused = await run([...program, 'dev'], named, { cwd: folder });
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toMatch(/^EAAS_PORT must be a free port \(got \d+, /);
});

test.each([
  ['DATABASE_URL', 'postgres://eaas@127.0.0.1:1/eaas', 'DATABASE_URL is set'],
  ['NODE_ENV', 'production', 'NODE_ENV is production'],
  ['EAAS_HOST', '0.0.0.0', 'EAAS_HOST'],
])('eaas dev refuses %s=%s and creates nothing', async (name, value, reason) => {
  const env = { EAAS_DATA_DIR: data, EAAS_INSECURE_HTTP: '1', [name]: value };
  const { code, stdout, stderr } = await run([...program, 'dev', '--env'], env, { cwd: folder });
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(reason);
  expect([existsSync(data), existsSync(join(folder, '.env'))]).toEqual([false, false]);
});

test('eaas dev does not change a .env with another EAAS_BASE_URL', async () => {
  const path = join(folder, '.env');
  const text = 'EAAS_BASE_URL=https://eaas.example\nEAAS_API_KEY=eaas_sk_production\n';
  await writeFile(path, text);
  const { code, stderr } = await run([...program, 'dev', '--env'], { EAAS_DATA_DIR: data }, { cwd: folder });
  expect(code).toBe(3);
  expect(stderr).toContain('contains the EAAS_BASE_URL and the API key of another service');
  expect(await readFile(path, 'utf8')).toBe(text);
  expect(existsSync(data)).toBe(false);
});

test('eaas serve creates no tenant and prints no API key', async () => {
  const server = await serve({ EAAS_DATA_DIR: data });
  onTestFinished(() => server.stop());
  expect(server.log()).not.toMatch(/EAAS_|eaas_sk_/);
  expect((await fetch(`${server.baseUrl}/`)).status).toBe(404);
  expect(await eaas('tenant', 'list')).toEqual([]);
});
