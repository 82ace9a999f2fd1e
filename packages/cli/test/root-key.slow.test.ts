import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { client } from '@eaas/test-kit/api';
import { eaas as program, run, serve } from '@eaas/test-kit/program';
import { commandLine, jsonLines, newRootKey, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

test('root-key generate prints 32 bytes in base64 without any configuration', async () => {
  const { code, stdout } = await run([...program, 'root-key', 'generate'], {});
  expect(code).toBe(0);
  expect(stdout).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
  const [json] = jsonLines((await run([...program, 'root-key', 'generate', '--json'], {})).stdout);
  expect(json).toEqual({
    root_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) as string,
    root_id: expect.stringMatching(/^[\da-f]{16}$/) as string,
  });
});

test('root-key generate writes a private file and never overwrites a file', async () => {
  const file = join(await newDirectory(), 'root.key');
  const generate = () => run([...program, 'root-key', 'generate', '--file', file], {});
  const made = await generate();
  const key = await readFile(file, 'utf8');
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout + made.stderr).not.toContain(key.trimEnd());
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await generate()).toMatchObject({ code: 1, stdout: '' });
  expect(await readFile(file, 'utf8')).toBe(key);

  const eaas = await commandLine();
  const { EAAS_ROOT_KEY: _, ...env } = eaas.env;
  const checked = await run([...program, 'root-key', 'check', '--json'], {
    ...env,
    EAAS_ROOT_KEY_FILE: file,
  });
  expect(jsonLines(checked.stdout)).toMatchObject([
    { root_id: expect.stringMatching(made.stdout.trim().slice(-16)) as string },
  ]);
});

test('an error names the path of a root key file that cannot be written', async () => {
  const file = join(await newDirectory(), 'missing', 'root.key');
  const generated = run([...program, 'root-key', 'generate', '--file', file], {});
  const stderr = await refusalOf(generated, 3);
  expect(stderr).toBe(`--file: the file ${file} cannot be written (ENOENT).\n`);
});

test('an operator can rotate the root key while a server runs', async () => {
  const eaas = await commandLine();
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

  const [rotation] = await both.json<{ root_id: string }>('root-key', 'rotate');
  expect(rotation).toMatchObject({ resealed: 2, already_current: 0, failed: [], finished: true });
  expect(await createKey('after')).toBe(201);
  expect(await both.json('root-key', 'rotate')).toMatchObject([
    { resealed: 0, already_current: 2, finished: true },
  ]);

  const rotated = eaas.with(next);
  expect(await rotated.json('root-key', 'check')).toMatchObject([
    { tenants: 2, previous_root_id: null, unopened: [] },
  ]);
  expect(await rotated.json('audit', 'verify')).toMatchObject([{ valid: true }, { valid: true }]);
  expect(await eaas('tenant', 'list')).toMatchObject({ code: 3 });
  const log = await rotated('audit', 'export', '--tenant', 'acme');
  expect(
    jsonLines<{ action: string }>(log.stdout).filter(({ action }) => action === 'tenant.update'),
  ).toMatchObject([
    {
      actor: 'operator',
      metadata: { changes: { root_id: { new: rotation?.root_id } }, previous_change: 0 },
    },
  ]);
});

test('root-key rotate exits with 2 if no previous root key is set', async () => {
  const eaas = await commandLine();
  expect(await refusalOf(eaas('root-key', 'rotate'), 2)).toContain('EAAS_ROOT_KEY_PREVIOUS');
});
