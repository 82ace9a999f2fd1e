import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { rewrapIndexKey } from '@eaas/sdk/fields';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eaas as program, type Environment, launch, run } from '@eaas/test-kit/program';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

let folder: string;
let data: string;
beforeEach(async () => {
  folder = await newDirectory();
  data = join(folder, '.eaas');
});

interface Started {
  readonly output: string;
  readonly baseUrl: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly stop: () => Promise<void>;
}

/** Starts `eaas dev` on a free port, or on the one that it chooses itself. */
async function dev(
  args: readonly string[] = [],
  env: Environment = {},
  port: Environment = { EAAS_PORT: '0' },
): Promise<Started> {
  const { child, stdout, stderr } = launch([...program, 'dev', ...args], { ...port, ...env }, folder);
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
  return { output, baseUrl, stdout, stderr, stop };
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
  expect(JSON.parse(stdout)).toMatchObject({
    wrapped_key: expect.stringMatching(/^[\w+/]{80,}=*$/) as string,
  });
  expect(call).not.toContain('hello');
}

const signInPage = /^(?:Playground|Console) +(http:\S+)#code=([\w-]{43})$/m;

async function signIn(url: string, code: string, origin = new URL(url).origin): Promise<Response> {
  const headers = { origin, 'content-type': 'application/json' };
  return fetch(`${new URL(url).origin}/console/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ code }),
  });
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

test('if its terminal is closed, eaas dev stops with its database', async () => {
  await dev();
  const { pid } = JSON.parse(await readFile(join(data, 'dev-server.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGHUP');
  await expect.poll(() => existsSync(join(data, 'postgres', 'postmaster.pid'))).toBe(false);
});

test('the code in the URL of eaas dev is valid for one sign-in, and pages of other origins cannot use the code', async () => {
  const { output, baseUrl } = await dev();
  const [, code = ''] = /^Playground +http:\S+\/#code=([\w-]{43})$/m.exec(output) ?? [];
  expect(await (await fetch(baseUrl)).text()).toContain('<title>Eaas playground</title>');
  expect((await signIn(baseUrl, code, 'http://evil.example')).status).toBe(403);
  const opened = await signIn(baseUrl, code);
  expect(opened.status).toBe(201);
  const { api_key, tenant } = (await opened.json()) as Record<string, string>;
  expect(tenant).toBe('dev');
  expect((await signIn(baseUrl, code)).status).toBe(401);
  const headers = { authorization: `Bearer ${api_key}` };
  const audit = await fetch(`${baseUrl}/v1/audit?limit=1`, { headers });
  expect(await audit.json()).toMatchObject({
    logs: [{ action: 'api_key.create', actor: 'operator', ip_address: '127.0.0.1' }],
  });
});

test('a second eaas dev beside the first prints a new sign-in URL, and changes nothing else', async () => {
  const { output, baseUrl } = await dev();
  const second = await run([...program, 'dev', '--env'], { EAAS_PORT: '0' }, { cwd: folder });
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).toMatch(new RegExp(`^Eaas already runs on ${baseUrl} \\(process \\d+\\)\\.`));
  for (const printed of [output, second.stdout]) {
    const [, url = '', code = ''] = signInPage.exec(printed) ?? [];
    expect(url).toBe(`${baseUrl}/`);
    expect((await signIn(url, code)).status).toBe(201);
    expect((await signIn(url, code)).status).toBe(401);
  }
  await expectToWork(variablesIn(await readFile(join(folder, '.env'), 'utf8')));
  expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
});

test('eaas dev --sign-in prints a new sign-in URL, and refuses if no eaas dev serves the folder', async () => {
  const signInUrl = () => run([...program, 'dev', '--sign-in'], {}, { cwd: folder });
  expect(await signInUrl()).toMatchObject({ code: 3, stdout: '' });
  const running = await dev();
  const { code: exitCode, stdout } = await signInUrl();
  const [url = '', code = ''] = stdout.trimEnd().split('#code=');
  expect([exitCode, url]).toEqual([0, `${running.baseUrl}/`]);
  expect((await signIn(url, code)).status).toBe(201);
  await running.stop();
  expect(await refusalOf(signInUrl(), 3)).toContain('No `eaas dev` serves');
});

test('with EAAS_PLAYGROUND=0, eaas dev serves the console without the playground', async () => {
  const { output, baseUrl } = await dev([], { EAAS_PLAYGROUND: '0' });
  const [, url = '', code = ''] = signInPage.exec(output) ?? [];
  expect([url, /^Playground/m.test(output)]).toEqual([`${baseUrl}/console/`, false]);
  expect((await signIn(url, code)).status).toBe(201);
  const moved = await fetch(baseUrl, { redirect: 'manual' });
  expect([moved.status, moved.headers.get('location')]).toEqual([302, '/console/']);
  expect(await (await fetch(`${baseUrl}/console/`)).text()).toContain('data-playground="off"');
});

test('a later start of eaas dev --env keeps the API key in .env', async () => {
  const path = join(folder, '.env');
  await writeFile(path, 'PORT=3000\nEAAS_API_KEY=eaas_sk_old\n', { mode: 0o644 });
  const first = await dev(['--env']);
  expect(first.output).not.toContain('eaas_sk_');
  expect(first.stderr()).not.toContain('git');
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

test('eaas dev uses the next free port', async () => {
  const holder = createServer();
  onTestFinished(() => void holder.close());
  await new Promise<void>((resolve) => {
    holder.once('error', () => resolve()).listen(8080, '127.0.0.1', resolve);
  });
  const { baseUrl, stdout } = await dev([], {}, {});
  const [, port = ''] = /^Port 8080 is in use, so the server listens on port (\d+)\./m.exec(stdout()) ?? [];
  expect(Number(port)).toBeGreaterThan(8080);
  expect(baseUrl).toBe(`http://127.0.0.1:${port}`);
});

test('two eaas dev that start at once choose different ports', async () => {
  const [one, two] = await Promise.all(
    ['one', 'two'].map((name) => dev([], { EAAS_DATA_DIR: join(folder, name) }, {})),
  );
  expect(one?.baseUrl).not.toBe(two?.baseUrl);
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
  const given = { EAAS_DATA_DIR: data, ...env };
  expect(await refusalOf(run([...program, 'dev', '--env'], given, { cwd: folder }), 3)).toContain(reason);
  expect([existsSync(data), await readFile(path, 'utf8')]).toEqual([false, text]);
});

test('eaas dev and the commands in its folder leave the DATABASE_URL of the app alone', async () => {
  const env = { DATABASE_URL: 'postgres://app:hunter2@127.0.0.1:1/shop' };
  await (await dev([], env)).stop();
  const listed = await run([...program, 'tenant', 'list', '--json'], env, { cwd: folder });
  expect(jsonLines(listed.stdout)).toMatchObject([{ name: 'dev' }]);
  expect(listed.stderr).toBe(
    'Warning: DATABASE_URL names the database "shop" on 127.0.0.1:1, which is not used, because the data of `eaas dev` is ' +
      `in ${data}. To use the database, put its URL in EAAS_DATABASE_URL.\n`,
  );
});

whereAvailable('git', isInstalled('git'), () => {
  const git = (...args: string[]) => run(['git', ...args], {}, { cwd: folder });
  const started = async (...args: string[]): Promise<string> => {
    const { stderr, stop } = await dev(['--env', ...args]);
    await stop();
    return stderr();
  };

  test('eaas dev --env warns of an environment file that git does not ignore or already tracks', async () => {
    await git('init', '--quiet');
    await writeFile(join(folder, '.gitignore'), '.env.local\n');
    expect(await started('.env.local')).not.toContain('git');
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

test('eaas serve needs a database, and names `eaas dev`, also where its data is', async () => {
  await (await dev()).stop();
  expect(await refusalOf(run([...program, 'serve'], {}, { cwd: folder }), 3)).toMatch(
    /^`eaas serve` needs a database: set EAAS_DATABASE_URL .* run `eaas dev`/,
  );
});
