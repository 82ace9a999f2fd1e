import { exec } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { run, serve } from '@eaas/test-kit/program';
import { codesIn, read, root } from '@eaas/test-kit/markdown';

const folder = await newDirectory();
const example = new URL('../../examples/encrypt-a-field/index.mjs', import.meta.url);
const eaas = ['npx', '--no-install', '@eaas/cli'];

const commands = codesIn(read('README.md')).map((command) => command.replace('/tmp', folder));
const pack = commands.find((command) => command.startsWith('npm pack ')) ?? '';
const install = commands.find((command) => command.startsWith('npm install ')) ?? '';
await promisify(exec)(pack, { cwd: root });
writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
await promisify(exec)(`${install} --no-audit --no-fund --prefer-offline`, { cwd: folder });

const command = (...args: string[]) => run([...eaas, ...args], {}, { cwd: folder });

async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr } = await command(...args, '--json');
  if (stdout === '') throw new Error(`eaas ${args.join(' ')} printed nothing:\n${stderr}`);
  return JSON.parse(stdout) as T;
}

test('the installed command eaas prints its version and its help', async () => {
  const { version } = JSON.parse(
    readFileSync(join(folder, 'node_modules/@eaas/cli/package.json'), 'utf8'),
  ) as { version: string };
  expect(await command('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect(await command('--help')).toMatchObject({ code: 0 });
});

test('the installed example encrypts with the server of eaas dev', async () => {
  // Starts `eaas` without npx, because after a signal, npx ends before the server.
  const program = [join(folder, 'node_modules/.bin/eaas')];
  const server = await serve({}, { program, cwd: folder, command: 'dev' });
  onTestFinished(() => server.stop());
  expect(existsSync(join(folder, '.eaas/root.key'))).toBe(true);
  await json('tenant', 'create', '--name', 'acme');
  const { key_id } = await json<{ key_id: string }>('key', 'create', '--tenant', 'acme', '--name', 'app');
  const options = ['--tenant', 'acme', '--name', 'app', '--permissions', 'encrypt,decrypt'];
  const { api_key } = await json<{ api_key: string }>('api-key', 'create', ...options);
  copyFileSync(fileURLToPath(example), join(folder, 'app.mjs'));
  const env = { EAAS_BASE_URL: server.baseUrl, EAAS_API_KEY: api_key, EAAS_KEY_ID: key_id };
  const app = await run([process.execPath, 'app.mjs'], env, { cwd: folder });
  expect(app).toMatchObject({ code: 0, stderr: '' });
  expect(app.stdout).toContain('1//0gRefreshToken');
  expect(await json('audit', 'verify', '--tenant', 'acme')).toMatchObject({ name: 'acme', valid: true });
});

test('the installed eaas-files prints its version, its help and its errors', async () => {
  const program = join(folder, 'node_modules/.bin/eaas-files');
  const manifest = readFileSync(join(folder, 'node_modules/@eaas/files/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const type = (...args: string[]) => run([program, ...args], {}, { cwd: folder });
  expect(await type('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(await type('help')).toMatchObject({ code: 0, stderr: '' });
  expect(await type('inspect', 'package.json')).toMatchObject({ code: 1, stdout: '' });
});

test('the installed root-key generate writes a root key', async () => {
  const file = join(folder, 'root.key');
  expect(await command('root-key', 'generate', '--file', file)).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
});
