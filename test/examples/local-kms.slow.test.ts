// The commands of `@eaas/local` with the programs of examples/local-kms, and apps with its modules, under played key services,
// and under real ones.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { createLocalService, type LocalServiceOptions } from '@eaas/local';
import { openOfEnvironment } from '@eaas/local/internal';
import { type Ciphertext, EaasClient } from '@eaas/sdk';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { newDirectory } from '@eaas/test-kit/directory';
import { installPackages } from '@eaas/test-kit/installed-packages';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { startOpenBao } from '@eaas/test-kit/open-bao';
import { type Environment, run } from '@eaas/test-kit/program';
import { requireTools } from '@eaas/test-kit/tools';
import { vectors } from '@eaas/test-kit/vectors';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { playKeyServices } from './played-key-services.ts';

const scriptAt = (name: string): string => join(root, 'examples/local-kms', `${name}.sh`);
const by = (program: string, now = 'EAAS_LOCAL'): Environment =>
  program ? { [`${now}_KMS_COMMAND`]: program } : {};
const local = (line: string, env: Environment) =>
  run([process.execPath, join(root, 'packages/local/bin/eaas-local.mjs'), ...line.split(' ')], env);
const textOf = ({ stdout }: { readonly stdout: string }): string => stdout.trim().replace('EAAS_LOCAL=', '');

test('over eleven versions and four key services and back, every value opens, and no secret is seen', async () => {
  const folder = await newDirectory();
  const [seen, lines] = [join(folder, 'seen'), join(folder, 'lines')];
  const recorder = (name: string): string => {
    const record = `line=$(cat); { echo "$@"; env; } >> ${seen}; echo "$line" >> ${lines}`;
    const text = `#!/bin/sh\n${record}\nexec ${scriptAt(name)} "$@" << END\n$line\nEND\n`;
    writeFileSync(join(folder, `${name}.sh`), text, { mode: 0o700 });
    return join(folder, `${name}.sh`);
  };
  const others = { LOCAL_KMS_VAULT: 'company', DATABASE_URL: 'postgres://a-secret' };
  const env = { ...(await playKeyServices()), ...others };
  let [sealed, program, said] = ['', '', ''];
  const values: Ciphertext[] = [];
  const command = (line: string, more: Environment = {}) =>
    local(line, { ...env, ...(sealed && { EAAS_LOCAL: sealed }), ...by(program), ...more });

  /** Runs a command, and encrypts under the variable that it prints, which must open all earlier values. */
  async function step(line: string, next: string, more?: Environment): Promise<void> {
    const finished = await command(line, more);
    expect([finished.code, finished.stderr]).toEqual([0, expect.not.stringContaining('eaas_local_')]);
    [sealed, program] = [textOf(finished), next];
    if (program) said += atob(sealed.slice(11)) + finished.stderr;
    for (const [name, value] of Object.entries({ ...env, ...by(program) })) vi.stubEnv(name, value);
    const client = new EaasClient({ service: createLocalService({ sealed, ...openOfEnvironment() }) });
    values.push(await client.encrypt('x', { as: 'bundle' }));
    for (const value of values) expect(await client.decrypt(value, { as: 'text', anyKey: true })).toBe('x');
    vi.unstubAllEnvs();
  }

  await step('new', recorder('aws'), by(recorder('aws')));
  for (let version = 2; version <= 11; version++) await step('rotate --in 0', program);
  expect(said).toMatch(/It has 3\d{3} characters, of 4 kB/);
  for (const name of ['google', 'azure', 'vault', 'aws']) {
    await step('lock', recorder(name), by(recorder(name), 'EAAS_LOCAL_NEW'));
    for (const broken of [{ SERVICE_IS_DOWN: '1' }, { LOCAL_KMS_KEY: 'other', LOCAL_KMS_CONTEXT: 'other' }]) {
      const stderr = expect.stringContaining(`the program ${program} `) as string;
      expect(await command('rotate', broken)).toEqual({ code: 2, stdout: '', stderr });
    }
  }
  expect((await command('show', by('/nowhere'))).stdout).toContain('so nothing is verified');
  await step('replace', program);
  await step('unlock', '');
  expect((await command('rotate', by('/bin/true'))).stderr).toContain('somebody might have replaced it');
  expect((await command('lock')).stderr).toContain('set EAAS_LOCAL_NEW_KMS_COMMAND to the program');

  const keys = new Set(
    readFileSync(lines, 'utf8')
      .split('\n')
      .filter((line) => line.length === 44),
  );
  const [, secret = ''] = /"tenant_secret":"(.*?)"/.exec(atob(sealed.slice(11))) ?? [];
  expect(keys.size).toBe(5);
  for (const text of [...keys, secret, 'eaas_local_', 'a-secret', 'EAAS_LOCAL']) {
    expect(readFileSync(seen, 'utf8') + said).not.toContain(text);
  }
});

test('vault.sh sends no file that a variable names', async () => {
  const [file, env] = [join(await newDirectory(), 'sealed'), await playKeyServices()];
  const open = (text: string) =>
    run(['bash', '-c', 'base64 -w 0 | "$0" open', scriptAt('vault')], env, { input: text });
  const sealed = await run(['bash', '-c', '"$0" seal | base64 -d', scriptAt('vault')], env, {
    input: `${btoa('a secret')}\n`,
  });
  writeFileSync(file, sealed.stdout);
  expect(await open(sealed.stdout)).toMatchObject({ code: 0, stdout: `${btoa('a secret')}\n` });
  const { code, stdout } = await open(`@${file}`);
  expect([code === 0, stdout]).toEqual([false, '']);
});

type Opened = LocalServiceOptions['open'];
const vault = join(root, 'examples/local-kms/vault.mjs');
const { openWith } = (await import(vault)) as {
  readonly openWith: (address?: string, token?: string) => Opened;
};

test('the modules for apps open by what the client of each key service answers', async () => {
  const [vector] = vectors('local-lock').cases;
  if (!vector) throw new Error('the vectors must have a case (got none)');
  const { text, key, opened, sealed } = vector;
  const plaintext = Buffer.from(opened, 'base64');
  const decrypt = vi.fn().mockResolvedValueOnce([{ plaintext }]).mockResolvedValueOnce({ result: plaintext });
  class Client {
    decrypt = decrypt;
    getProjectId = () => Promise.resolve('company');
    cryptoKeyPath = (...names: readonly string[]) => names.join('/');
  }
  const clients = {
    KeyManagementServiceClient: Client,
    CryptographyClient: Client,
    DefaultAzureCredential: Object,
  };
  for (const name of ['google', 'azure']) {
    const code = read(`examples/local-kms/${name}.mjs`).replaceAll(/^import .*$|^export /gm, '');
    const open = runInNewContext(`${code}\nopen`, { ...clients, Uint8Array, process }) as Opened;
    const client = new EaasClient({ service: createLocalService({ sealed: text, open }) });
    expect(await client.encrypt('x', { as: 'bundle' })).toMatchObject({ key_id: key });
  }
  const ciphertext = new Uint8Array(Buffer.from(sealed, 'base64'));
  const name = 'company/europe-west3/eaas/local-production';
  expect(decrypt.mock.calls.map(([asked]: unknown[]) => asked)).toEqual([
    { name, ciphertext },
    { algorithm: 'RSA-OAEP-256', ciphertext },
  ]);
});

test('an app whose keys AWS KMS locks has two lines more than the first one of the page', async () => {
  const page = read('packages/local/README.md');
  const [typed = '', locking = '', relocking = ''] = blocksOf(page, 'sh');
  const [first = ''] = blocksOf(page, 'ts');
  const [changes = ''] = blocksOf(page, 'js');
  const linesOf = (text: string): string[] => text.split('\n').filter(Boolean);
  const [added = '', changed = ''] = linesOf(changes);
  const code = `${added}\n${first.replace(/^const eaas = .*$/m, changed)}`;
  expect(linesOf(code)).toHaveLength(linesOf(first).length + 1);
  const [copy] = linesOf(locking);
  const program = 'export EAAS_LOCAL_KMS_COMMAND="$PWD/aws.sh"';
  expect(linesOf(locking)).toEqual([copy, program, linesOf(typed)[1]]);

  const [place, app, tools] = [
    await newDirectory(),
    await installPackages(),
    await requireTools('test/tools/kms'),
  ];
  onTestFinished(app.remove);
  const folder = join(place, 'app');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(root, join(place, 'eaas'));
  for (const [name, from] of Object.entries({
    '@eaas': join(app.directory, 'node_modules'),
    '@aws-sdk': tools,
  })) {
    symlinkSync(join(from, name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'first.mjs'), code);
  const npx = `npx() { shift 2; '${process.execPath}' '${join(root, 'packages/local/bin/eaas-local.mjs')}' "$@"; }`;
  const open = linesOf(typed).at(-1) ?? '';
  const unlocked = ['rm .env', 'unset EAAS_LOCAL_KMS_COMMAND', linesOf(typed)[1], program];
  const again = [...unlocked, relocking, open.replace('.env', 'next.env')];
  const lines = [`cd ${folder}`, npx, locking, open, ...again].join('\n');
  const { code: status, stdout } = await run(['bash', '-ec', lines], await playKeyServices());
  expect([status, stdout]).toEqual([0, '1//0gRefreshToken\n'.repeat(2)]);
});

const { BAO = '' } = process.env;
async function openBao(): Promise<Environment> {
  const [folder, { url, root: token, call }] = [await newDirectory(), await startOpenBao(BAO)];
  await call('sys/mounts/transit', { type: 'transit' });
  symlinkSync(BAO, join(folder, 'bao'));
  return { PATH: `${folder}:${process.env['PATH']}`, VAULT_ADDR: url, VAULT_TOKEN: token };
}

/** The real `aws` of this machine, before a played service. */
async function openKms(): Promise<Environment> {
  const { PATH: _, ...played } = await playKeyServices();
  return played;
}

describe.each([
  ['aws', isInstalled('aws'), openKms],
  ['vault', BAO !== '', openBao],
] as const)('%s.sh', (name, available, open) => {
  whereAvailable(`the real program of ${name}.sh`, available, () => {
    test('seals and opens through its real program', async () => {
      const env = { ...(await open()), ...by(scriptAt(name)) };
      const made = textOf(await local('new', env));
      const sealed = textOf(await local('rotate', { ...env, EAAS_LOCAL: made }));
      expect(sealed).toMatch(/^eaas_local_/);
      if (name === 'aws') return;
      await createLocalService({ sealed, open: openWith(env['VAULT_ADDR'], env['VAULT_TOKEN']) }).ready();
    });
  });
});
