import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { client } from '@eaas/test-kit/api';
import '@eaas/test-kit/matchers';
import { eaas, run, serve } from '@eaas/test-kit/program';

let directory: string;

beforeEach(async () => {
  directory = await newDirectory();
});

const command = async (...args: string[]) => run([...eaas, ...args, '--json'], { EAAS_DATA_DIR: directory });

test('without EAAS_DATABASE_URL the server creates a database in EAAS_DATA_DIR and keeps it', async () => {
  const first = await serve({ EAAS_DATA_DIR: directory });
  onTestFinished(() => first.stop());
  expect(await command('tenant', 'create', '--name', 'acme')).toMatchObject({ code: 0 });
  const holder = ['--tenant', 'acme', '--name', 'ci', '--permissions', 'all'];
  const { stdout } = await command('api-key', 'create', ...holder);
  const { api_key } = JSON.parse(stdout) as { api_key: string };
  expect(await client(first.baseUrl, api_key).post('/v1/keys', { name: 'kept' })).toHaveStatus(201);
  await first.stop();
  const second = await serve({ EAAS_DATA_DIR: directory });
  onTestFinished(() => second.stop());
  const { body } = await client(second.baseUrl, api_key).get('/v1/keys');
  expect(body.keys.map((key) => key.name)).toStrictEqual(['kept']);
});

test('the server does not replace a lost root key', async () => {
  const server = await serve({ EAAS_DATA_DIR: directory });
  await server.stop();
  const found = (await readdir(directory)).filter((name) => /key/i.test(name));
  expect(found).toHaveLength(1);
  await rm(join(directory, found[0] ?? ''));
  await expect(serve({ EAAS_DATA_DIR: directory })).rejects.toThrow(/root key/i);
  expect((await readdir(directory)).filter((name) => /key/i.test(name))).toStrictEqual([]);
});
