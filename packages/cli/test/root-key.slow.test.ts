import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { client } from '@eaas/test-kit/api';
import { eaas as program, run, serve } from '@eaas/test-kit/program';
import { commandLine, newRootKey, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

const generate = (...args: readonly string[]) => run([...program, 'root-key', 'generate', ...args], {});

test('root-key generate prints 32 bytes in base64 without any configuration', async () => {
  const { code, stdout } = await generate();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
});

test('root-key generate writes a private file and never overwrites a file', async () => {
  const folder = await newDirectory();
  const file = join(folder, 'root.key');
  const made = await generate('--file', file);
  const key = await readFile(file, 'utf8');
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout + made.stderr).not.toContain(key.trimEnd());
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await generate('--file', file)).toMatchObject({ code: 1, stdout: '' });
  expect(await readFile(file, 'utf8')).toBe(key);
  const missing = join(folder, 'missing', 'root.key');
  expect(await refusalOf(generate('--file', missing), 3)).toBe(
    `--file: the file ${missing} cannot be written (ENOENT).\n`,
  );
});

test('an operator can rotate the root key while a server runs', async () => {
  const eaas = await commandLine();
  expect(await refusalOf(eaas('root-key', 'rotate'), 2)).toContain('EAAS_ROOT_KEY_PREVIOUS');
  for (const name of ['acme', 'other']) await eaas.json('tenant', 'create', '--name', name);
  const apiKeyOptions = ['--tenant', 'acme', '--name', 'x', '--permissions', 'all'];
  const [apiKey] = await eaas.json<{ api_key: string }>('api-key', 'create', ...apiKeyOptions);
  const next = { EAAS_ROOT_KEY: newRootKey() };
  const both = eaas.with({ ...next, EAAS_ROOT_KEY_PREVIOUS: eaas.env['EAAS_ROOT_KEY'] ?? '' });
  const server = await serve(both.env);
  onTestFinished(() => server.stop());
  const api = client(server.baseUrl, apiKey?.api_key);
  const createKey = async (name: string) => (await api.post('/v1/keys', { name })).status;
  expect(await createKey('before')).toBe(201);
  expect(await both.json('root-key', 'check')).toMatchObject([
    { tenants: 2, under_previous: 2, unopened: [] },
  ]);
  expect(await both.json('root-key', 'rotate')).toMatchObject([{ resealed: 2, failed: [], finished: true }]);
  expect(await createKey('after')).toBe(201);

  const rotated = eaas.with(next);
  expect(await rotated.json('root-key', 'check')).toMatchObject([
    { tenants: 2, previous_root_id: null, unopened: [] },
  ]);
  expect(await rotated.json('audit', 'verify')).toMatchObject([{ valid: true }, { valid: true }]);
  expect(await eaas('tenant', 'list')).toMatchObject({ code: 3 });
});
