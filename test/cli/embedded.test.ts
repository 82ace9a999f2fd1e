import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eaas as program, type Finished, run, serve } from '../conformance/program.ts';
import { jsonLines, newDirectory } from './command-line.ts';

let data: string;
beforeEach(async () => {
  data = join(await newDirectory(), 'data');
});

const eaas = (...args: string[]): Promise<Finished> => run([...program, ...args], { EAAS_DATA_DIR: data });

test('a first command makes the database and its root key, and every next one finds them', async () => {
  const created = await eaas('tenant', 'create', '--name', 'acme', '--json');
  expect(created.code).toBe(0);
  expect(created.stderr).toContain(`A new root key is in ${join(data, 'root.key')}. Keep a copy of it`);
  expect((await stat(join(data, 'root.key'))).mode & 0o777).toBe(0o600);
  const listed = await eaas('tenant', 'list', '--json');
  expect(listed).toEqual({ code: 0, stdout: created.stdout, stderr: '' });
  expect(jsonLines((await eaas('migrate', '--json')).stdout)).toEqual([
    { applied: 0, server_role: 'eaas_server' },
  ]);
});

test('commands work beside a server, which sees at once what they change', async () => {
  const server = await serve({ EAAS_DATA_DIR: data });
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

  const second = await eaas('serve');
  expect(second).toMatchObject({ code: 3, stdout: '' });
  expect(second.stderr).toMatch(/serves the data directory .* already/);
});

test('a lost root key is never replaced', async () => {
  await eaas('tenant', 'create', '--name', 'acme');
  await rename(join(data, 'root.key'), join(data, 'elsewhere'));
  const lost = await eaas('tenant', 'list');
  expect(lost).toMatchObject({ code: 3, stdout: '' });
  expect(lost.stderr).toContain('root.key is missing, and a new one would not open the existing data');
  await rename(join(data, 'elsewhere'), join(data, 'root.key'));
  expect(await eaas('tenant', 'list')).toMatchObject({ code: 0 });
});
