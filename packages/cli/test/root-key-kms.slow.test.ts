import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eaas as program, type Environment, run, serve } from '@eaas/test-kit/program';
import { whereAvailable } from '@eaas/test-kit/available';
import { type Aws, requireMoto, startMoto } from './moto.ts';
import { type CommandLine, commandLine, jsonLines, newRootKey } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

const moto = await requireMoto();

async function newCommandLine(): Promise<CommandLine> {
  const eaas = await commandLine();
  return eaas;
}

const execute = (env: Environment, ...args: string[]) => run([...program, ...args], env);

async function silentPort(): Promise<number> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

whereAvailable('moto (Python and PyPI)', moto !== undefined, () => {
  let aws: Aws;
  let key: string;
  beforeAll(async () => {
    aws = await startMoto(moto ?? '');
    const { KeyMetadata } = await aws.kms('CreateKey', {});
    key = (KeyMetadata as { Arn: string }).Arn;
  });
  afterAll(() => aws.stop());

  async function wrapped(eaas: CommandLine): Promise<{ file: string; env: Environment; output: string }> {
    const file = join(await newDirectory(), 'root.wrapped');
    const { code, stdout, stderr } = await eaas.with(aws.env)(
      'root-key',
      'wrap',
      '--aws-kms',
      key,
      '--out',
      file,
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { EAAS_ROOT_KEY: _, ...env } = eaas.env;
    return { file, env: { ...env, ...aws.env, EAAS_ROOT_KEY_WRAPPED_FILE: file }, output: stdout + stderr };
  }

  test('a wrapped root key opens the database for commands, doctor and servers', async () => {
    const eaas = await newCommandLine();
    await eaas.json('tenant', 'create', '--name', 'acme');
    const { file, env, output } = await wrapped(eaas);
    const rootKey = eaas.env['EAAS_ROOT_KEY'] ?? '';
    const text = await readFile(file, 'utf8');
    expect(JSON.parse(text)).toEqual({ provider: 'aws-kms', key, ciphertext: expect.any(String) as string });
    expect(text + output).not.toContain(rootKey);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const before = await eaas.json('root-key', 'check');
    const checked = await execute(env, 'root-key', 'check', '--json');
    expect({ code: checked.code, stderr: checked.stderr }).toEqual({ code: 0, stderr: '' });
    expect(jsonLines(checked.stdout)).toEqual(before);
    const findings = jsonLines((await execute(env, 'doctor', '--json')).stdout);
    expect(findings).toContainEqual(expect.objectContaining({ check: 'root_key_wrapped', status: 'ok' }));
    expect(findings).toContainEqual(expect.objectContaining({ check: 'root_key', status: 'ok' }));
    const server = await serve(env);
    onTestFinished(() => server.stop());
    expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
    expect(server.log()).not.toContain(rootKey);
  });

  test('other clients of AWS KMS can decrypt a wrapped root key if they pass the encryption context', async () => {
    const eaas = await newCommandLine();
    const { file } = await wrapped(eaas);
    const { ciphertext: CiphertextBlob } = JSON.parse(await readFile(file, 'utf8')) as { ciphertext: string };
    const EncryptionContext = { eaas: 'root-key' };
    const { Plaintext } = await aws.kms('Decrypt', { CiphertextBlob, EncryptionContext });
    expect(Plaintext).toBe(eaas.env['EAAS_ROOT_KEY']);
    await expect(aws.kms('Decrypt', { CiphertextBlob })).rejects.toThrow('Decrypt failed (400)');
  });

  test('root-key wrap replaces an alias by the key id of AWS KMS', async () => {
    const eaas = (await newCommandLine()).with(aws.env);
    await aws.kms('CreateAlias', { AliasName: 'alias/eaas-root', TargetKeyId: key });
    const file = join(await newDirectory(), 'root.wrapped');
    const wrap = ['root-key', 'wrap', '--aws-kms', 'alias/eaas-root', '--out', file];
    expect(await eaas.json(...wrap)).toMatchObject([{ file, provider: 'aws-kms', key }]);
    const text = await readFile(file, 'utf8');
    const again = await eaas(...wrap);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('already exists and was not changed');
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('root-key wrap writes no file for an unknown key of AWS KMS', async () => {
    const eaas = (await newCommandLine()).with(aws.env);
    const file = join(await newDirectory(), 'root.wrapped');
    const failed = await eaas('root-key', 'wrap', '--aws-kms', 'alias/missing', '--out', file);
    expect(failed).toMatchObject({ code: 3, stdout: '' });
    expect(failed.stderr).toContain('Check the account and the region of the key.');
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  test('root-key rotate works if AWS KMS wraps both root keys', async () => {
    const eaas = await newCommandLine();
    await eaas.json('tenant', 'create', '--name', 'acme');
    const old = await wrapped(eaas);
    const next = await wrapped(eaas.with({ EAAS_ROOT_KEY: newRootKey() }));
    const both = { ...next.env, EAAS_ROOT_KEY_PREVIOUS_WRAPPED_FILE: old.file };
    const rotated = await execute(both, 'root-key', 'rotate', '--json');
    expect(jsonLines(rotated.stdout)).toMatchObject([{ resealed: 1, finished: true }]);
    expect(await execute(next.env, 'tenant', 'list')).toMatchObject({ code: 0 });
    expect(await execute(old.env, 'tenant', 'list')).toMatchObject({ code: 3 });
  });

  test('if AWS KMS fails, the command gives advice and exits with 3', async () => {
    const eaas = await newCommandLine();
    const { file, env } = await wrapped(eaas);
    const altered = `${file}.altered`;
    const content = JSON.parse(await readFile(file, 'utf8')) as { ciphertext: string };
    await writeFile(
      altered,
      JSON.stringify({ ...content, ciphertext: `${content.ciphertext.slice(0, -8)}AAAAAAAA` }),
    );
    const away = { AWS_MAX_ATTEMPTS: '1', AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:1' };
    const silent = { AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${await silentPort()}` };
    const failures: readonly [Environment, string][] = [
      [away, 'ECONNREFUSED'],
      [silent, 'Check the network'],
      [{ EAAS_ROOT_KEY_WRAPPED_FILE: altered }, 'Restore the wrapped file'],
    ];
    for (const [change, sentence] of failures) {
      const { code, stdout, stderr } = await execute({ EAAS_PORT: '0', ...env, ...change }, 'serve');
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toMatch(/^EAAS_ROOT_KEY_WRAPPED_FILE: AWS KMS could not use the key arn:[^\n]*\.\n$/m);
      expect(stderr).toContain(sentence);
      expect(stderr).not.toMatch(/^ {4}at |secret-of-the-test/m);
    }
  });
});

test('root-key wrap exits with 2 if no key or two keys are passed', async () => {
  const out = ['--out', join(await newDirectory(), 'root.wrapped')];
  for (const keys of [[], ['--aws-kms', 'alias/a', '--transit', 'transit/a']]) {
    const { code, stderr } = await run([...program, 'root-key', 'wrap', ...keys, ...out], {});
    expect(code).toBe(2);
    expect(stderr).toContain('either --aws-kms or --transit');
  }
});
