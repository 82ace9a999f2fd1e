import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eaas as program, type Finished, run, serve } from '@eaas/test-kit/program';
import { jsonLines } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

let data: string;
beforeEach(async () => {
  data = join(await newDirectory(), 'data');
});

const eaas = (...args: string[]): Promise<Finished> =>
  run([...program, ...args], { EAAS_DATA_DIR: data, EAAS_PORT: '0' });

async function created(env = { EAAS_DATA_DIR: data }): Promise<string> {
  const server = await serve(env, { command: 'dev' });
  await server.stop();
  return server.log();
}

test('commands use the database and the root key that eaas dev created', async () => {
  const log = await created();
  expect(log).toContain(`A new root key is in ${join(data, 'root.key')}. Keep a copy of the root key`);
  expect((await stat(join(data, 'root.key'))).mode & 0o777).toBe(0o600);
  const made = await eaas('tenant', 'create', '--name', 'acme', '--json');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const listed = await eaas('tenant', 'list', '--json');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(jsonLines(listed.stdout)).toContainEqual(jsonLines(made.stdout)[0]);
  const healthy = await eaas('doctor', '--json');
  expect(healthy).toMatchObject({ code: 0, stderr: '' });
  expect(jsonLines(healthy.stdout)).toContainEqual(expect.objectContaining({ check: 'fsync', status: 'ok' }));
  expect(jsonLines((await eaas('migrate', '--json')).stdout)).toEqual([
    { applied: 0, server_role: 'eaas_server' },
  ]);
});

test.each([
  ['tenant', 'list'],
  ['tenant', 'create', '--name', 'acme'],
  ['migrate'],
  ['audit', 'verify'],
  ['root-key', 'check'],
])('without a data directory, eaas %s %s creates nothing and says what to do', async (...args) => {
  const directory = await newDirectory();
  const here = await run([...program, ...args], {}, { cwd: directory });
  expect(here).toMatchObject({ code: 3, stdout: '' });
  expect(here.stderr).toContain(`There is no Eaas data here: no .eaas in ${directory} or a folder above it.`);
  expect(here.stderr).toContain('Start the server first (`eaas dev`)');
  expect(await readdir(directory)).toEqual([]);
  const named = await eaas(...args);
  expect(named).toMatchObject({ code: 3, stdout: '' });
  expect(named.stderr).toContain(`There is no Eaas data in ${data}, which EAAS_DATA_DIR names.`);
  expect(existsSync(data)).toBe(false);
});

test('a command finds the data directory in a parent folder', async () => {
  const project = await newDirectory();
  await created({ EAAS_DATA_DIR: join(project, '.eaas') });
  const folder = join(project, 'packages', 'app');
  await mkdir(folder, { recursive: true });
  expect(await run([...program, 'tenant', 'list'], {}, { cwd: folder })).toMatchObject({ code: 0 });
  await mkdir(join(folder, '.eaas'), { mode: 0o700 });
  const empty = await run([...program, 'tenant', 'list'], {}, { cwd: folder });
  expect(empty).toMatchObject({ code: 3, stdout: '' });
  expect(empty.stderr).toContain('holds no database yet. Start the server first');
});

test('eaas dev creates nothing if its port is taken', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void holder.close());
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const { code, stderr } = await run([...program, 'dev'], { EAAS_DATA_DIR: data, EAAS_PORT: String(port) });
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^EAAS_PORT must be a free port \(got \d+, [^\n]* set EAAS_PORT to another port\.\n$/,
  );
  expect(existsSync(data)).toBe(false);
});

test('`eaas dev` and all other commands refuse a data directory that other users can write', async () => {
  await created();
  await chmod(data, 0o720);
  for (const args of [['dev'], ['tenant', 'list']]) {
    const { code, stderr } = await eaas(...args);
    expect(code).toBe(3);
    expect(stderr).toContain(`Other users of this machine can read or write the data directory ${data}`);
  }
});

test('a running server sees the changes of commands immediately', async () => {
  const server = await serve({ EAAS_DATA_DIR: data }, { command: 'dev' });
  onTestFinished(() => server.stop());
  await eaas('tenant', 'create', '--name', 'acme');
  const options = ['--tenant', 'acme', '--name', 'x', '--permissions', 'usage.read', '--json'];
  const [apiKey] = jsonLines<{ api_key: string; api_key_id: string }>(
    (await eaas('api-key', 'create', ...options)).stdout,
  );
  const usage = async () =>
    (await fetch(`${server.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${apiKey?.api_key}` } }))
      .status;
  expect(await usage()).toBe(200);
  await eaas('api-key', 'revoke', apiKey?.api_key_id ?? '', '--tenant', 'acme');
  expect(await usage()).toBe(401);
  expect(await eaas('audit', 'verify')).toMatchObject({ code: 0 });
  expect(await eaas('tenant', 'destroy', 'acme', '--confirm', 'acme')).toMatchObject({ code: 0 });
  expect(await usage()).toBe(401);
});

test('eaas dev never replaces a lost root key', async () => {
  await created();
  await rename(join(data, 'root.key'), join(data, 'elsewhere'));
  const lost = await eaas('tenant', 'list');
  expect(lost).toMatchObject({ code: 3, stdout: '' });
  expect(lost.stderr).toContain('root.key is missing, and no other key can decrypt the existing data');
  await rename(join(data, 'elsewhere'), join(data, 'root.key'));
  expect(await eaas('tenant', 'list')).toMatchObject({ code: 0 });
});
