import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { rewrapIndexKey } from '@eaas/sdk/fields';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eaas as program, type Environment, launch, run, serve } from '@eaas/test-kit/program';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

let folder: string;
let data: string;
beforeEach(async () => {
  folder = await newDirectory();
  data = join(folder, '.eaas');
});

/** Starts `eaas dev` on a free port, and waits for all that it prints. */
async function dev(args: readonly string[] = [], env: Environment = {}) {
  const words = [...program, 'dev', ...args];
  const server = await serve(env, { program: words.slice(0, -1), command: words.at(-1) ?? '', cwd: folder });
  onTestFinished(() => server.stop());
  await expect.poll(server.log).toMatch(/^Try it .*\n/m);
  return { ...server, output: server.log() };
}

const inFolder = (args: readonly string[], env: Environment = {}) =>
  run([...program, ...args], env, { cwd: folder });

const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(Array.from(text.matchAll(/^(EAAS_\w+)=(.*)$/gm), ([, name, value]) => [name, value]));

async function expectToWork(variables: Record<string, string>): Promise<void> {
  const { EAAS_BASE_URL: baseUrl = '', EAAS_API_KEY: apiKey = '', EAAS_KEY_ID: keyId = '' } = variables;
  const client = new EaasClient({ baseUrl, apiKey, keyId });
  const ciphertext = await client.encrypt('Grüße');
  expect(await client.decrypt(ciphertext, { as: 'text' })).toBe('Grüße');
  expect(await rewrapIndexKey(client, variables['EAAS_INDEX_KEY'] ?? '')).toMatch(/^eaas_ik_1\./);
  await expect(client.keys.create({ name: 'other' })).rejects.toMatchObject({ code: 'permission_missing' });
}

/** Signs in at the URL that `eaas dev` printed, and returns the status. */
async function signIn(printed: string, page: string): Promise<number> {
  const [, origin = '', path, code] = /(http:\/\/[^/\s]+)(\/\S*)#code=([\w-]{43})$/m.exec(printed) ?? [];
  expect(path).toBe(page);
  const headers = { origin, 'content-type': 'application/json' };
  const body = JSON.stringify({ code });
  return (await fetch(`${origin}/console/session`, { method: 'POST', headers, body })).status;
}

test('a second start of eaas dev keeps the data of the first', async () => {
  const first = await dev();
  const variables = variablesIn(first.output);
  expect(Object.keys(variables)).toEqual(['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID', 'EAAS_INDEX_KEY']);
  expect(variables['EAAS_BASE_URL']).toBe(first.baseUrl);
  await expectToWork(variables);
  const [, call = ''] = /^Try it +(.*)$/m.exec(first.output) ?? [];
  const { stdout } = await run(['sh', '-c', `${call} --silent`], {});
  expect(JSON.parse(stdout)).toMatchObject({ wrapped_key: expect.any(String) as string });
  await first.stop();

  const second = await dev();
  expect(second.output).not.toContain('eaas_sk_');
  expect(second.output).toContain('The API key was shown at the first start.');
  await expectToWork({ ...variables, EAAS_BASE_URL: second.baseUrl });
  expect(jsonLines((await inFolder(['tenant', 'list', '--json'])).stdout)).toMatchObject([{ name: 'dev' }]);
});

test('if its terminal is closed, eaas dev stops with its database', async () => {
  const { signal } = await dev();
  signal('SIGHUP');
  await expect.poll(() => existsSync(join(data, 'postgres', 'postmaster.pid'))).toBe(false);
});

test('a second eaas dev beside the first prints a new sign-in URL, as --sign-in does, and changes nothing else', async () => {
  const { output, baseUrl, stop } = await dev();
  expect(await (await fetch(baseUrl)).text()).toContain('<title>Eaas playground</title>');
  const second = await inFolder(['dev', '--env'], { EAAS_PORT: '0' });
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).toMatch(new RegExp(`^Eaas already runs on ${baseUrl} \\(process \\d+\\)\\.`));
  const { stdout } = await inFolder(['dev', '--sign-in']);
  for (const printed of [output, second.stdout, stdout]) {
    expect(await signIn(printed, '/')).toBe(201);
    expect(await signIn(printed, '/')).toBe(401);
  }
  await expectToWork(variablesIn(await readFile(join(folder, '.env'), 'utf8')));
  await stop();
  expect(await refusalOf(inFolder(['dev', '--sign-in']), 3)).toContain('No `eaas dev` serves');
});

test('with EAAS_PLAYGROUND=0, eaas dev serves the console without the playground', async () => {
  const { output, baseUrl } = await dev([], { EAAS_PLAYGROUND: '0' });
  expect(output).not.toMatch(/^Playground/m);
  expect(await signIn(output, '/console/')).toBe(201);
  expect(await (await fetch(`${baseUrl}/console/`)).text()).toContain('data-playground="off"');
});

test('a later start of eaas dev --env keeps the API key in .env', async () => {
  const path = join(folder, '.env');
  await writeFile(path, 'PORT=3000\nEAAS_API_KEY=eaas_sk_old\n', { mode: 0o644 });
  const first = await dev(['--env']);
  expect(first.output).not.toMatch(/eaas_sk_|git/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, 'utf8');
  await expectToWork(variablesIn(text));
  await first.stop();

  const second = await dev(['--env']);
  const kept = variablesIn(await readFile(path, 'utf8'));
  expect(kept).toEqual({ ...variablesIn(text), EAAS_BASE_URL: second.baseUrl });
  await second.stop();
  await dev(['--env', "Ada's app.env"]);
  const other = variablesIn(await readFile(join(folder, "Ada's app.env"), 'utf8'));
  expect(other['EAAS_API_KEY']).not.toBe(kept['EAAS_API_KEY']);
});

test('eaas dev uses the next free port', async () => {
  const holder = createServer();
  onTestFinished(() => void holder.close());
  await new Promise<void>((resolve) => {
    holder.once('error', () => resolve()).listen(8080, '127.0.0.1', resolve);
  });
  const { child, stdout } = launch([...program, 'dev'], {}, folder);
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await expect.poll(stdout).toMatch(/^Port 8080 is in use, so the server listens on port \d+\./m);
  const [, port] = /listens on port (\d+)/.exec(stdout()) ?? [];
  expect(stdout()).toContain(`EAAS_BASE_URL=http://127.0.0.1:${port}\n`);
});

test.each([
  ['in production', { NODE_ENV: 'production' }, 'PORT=3000\n', 'NODE_ENV is production'],
  [
    'beside the .env of another service',
    {},
    'EAAS_BASE_URL=https://eaas.example\nEAAS_API_KEY=eaas_sk_production\n',
    'contains the EAAS_BASE_URL and the API key of another service',
  ],
])('eaas dev --env does not start %s, and changes nothing', async (_, env, text, reason) => {
  const path = join(folder, '.env');
  await writeFile(path, text);
  expect(await refusalOf(inFolder(['dev', '--env'], { EAAS_DATA_DIR: data, ...env }), 3)).toContain(reason);
  expect([existsSync(data), await readFile(path, 'utf8')]).toEqual([false, text]);
});

test('eaas dev and the commands in its folder leave the DATABASE_URL of the app alone, and eaas serve names eaas dev', async () => {
  const env = { DATABASE_URL: 'postgres://app:hunter2@127.0.0.1:1/shop' };
  await (await dev([], env)).stop();
  const listed = await inFolder(['tenant', 'list', '--json'], env);
  expect(jsonLines(listed.stdout)).toMatchObject([{ name: 'dev' }]);
  expect(listed.stderr).toBe(
    'Warning: DATABASE_URL names the database "shop" on 127.0.0.1:1, which is not used, because the data of `eaas dev` is ' +
      `in ${data}. To use the database, put its URL in EAAS_DATABASE_URL.\n`,
  );
  expect(await refusalOf(inFolder(['serve']), 3)).toMatch(
    /^`eaas serve` needs a database: set EAAS_DATABASE_URL .* run `eaas dev`/,
  );
});

whereAvailable('git', isInstalled('git'), () => {
  const git = (...args: string[]) => run(['git', ...args], {}, { cwd: folder });
  const started = async (): Promise<string> => {
    const { output, stop } = await dev(['--env']);
    await stop();
    return output;
  };

  test('eaas dev --env warns of an environment file that git does not ignore or already tracks', async () => {
    await git('init', '--quiet');
    expect(await started()).toContain(
      'Warning: git does not ignore .env, which has an API key now: add the file to .gitignore.\n',
    );
    await git('add', '--force', '.env');
    expect(await started()).toContain(
      'Warning: git tracks .env, which has an API key now: add the file to .gitignore, and run `git rm --cached .env`.\n',
    );
    expect((await git('status', '--porcelain', '--untracked-files=all')).stdout).not.toContain('.eaas');
  });
});
