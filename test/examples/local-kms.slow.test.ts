// The commands of `@eaas/local` with the scripts of examples/local-kms, and the code for apps on its page, under played key
// services, and under real ones.
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { localService, type LocalServiceOptions } from '@eaas/local';
import { openOfEnvironment } from '@eaas/local/internal';
import { type Ciphertext, EaasClient } from '@eaas/sdk';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { newDirectory } from '@eaas/test-kit/directory';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { startOpenBao } from '@eaas/test-kit/open-bao';
import { type Environment, run } from '@eaas/test-kit/program';
import { vectors } from '@eaas/test-kit/vectors';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

const scriptAt = (name: string): string => join(root, 'examples/local-kms', `${name}.sh`);
const by = (program: string, now = 'EAAS_LOCAL'): Environment =>
  program ? { [`${now}_KMS_COMMAND`]: program } : {};
const local = (line: string, env: Environment) =>
  run([process.execPath, join(root, 'packages/local/bin/eaas-local.mjs'), ...line.split(' ')], env);
const textOf = ({ stdout }: { readonly stdout: string }): string => stdout.trim().replace('EAAS_LOCAL=', '');

test('over eleven versions and four key services and back, every value opens, and no secret is seen', async () => {
  const folder = await newDirectory();
  const [seen, lines] = [join(folder, 'seen'), join(folder, 'lines')];
  for (const name of ['aws', 'gcloud', 'az', 'bao'])
    symlinkSync(join(root, 'test/examples/key-service.mjs'), join(folder, name));
  const recorder = (name: string): string => {
    const record = `line=$(cat); { echo "$@"; env; } >> ${seen}; echo "$line" >> ${lines}`;
    const text = `#!/bin/sh\n${record}\nexec ${scriptAt(name)} "$@" << END\n$line\nEND\n`;
    writeFileSync(join(folder, `${name}.sh`), text, { mode: 0o700 });
    return join(folder, `${name}.sh`);
  };
  const PATH = `${folder}:${process.env['PATH']}`;
  const env = { PATH, LOCAL_KMS_VAULT: 'company', DATABASE_URL: 'postgres://a-secret' };
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
    const client = new EaasClient({ service: localService({ sealed, ...openOfEnvironment() }) });
    values.push(await client.encrypt('x'));
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
  for (const text of [...keys, secret, 'eaas_local_', 'a-secret', 'EAAS_LOCAL'])
    expect(readFileSync(seen, 'utf8') + said).not.toContain(text);
});

type Opened = LocalServiceOptions['open'];
/** Runs code of a page, which uses these values by their names, and returns what a name has then. */
const valueIn = (code: string, name: string, uses: object): unknown =>
  runInNewContext(`${code.replace(/^import .*$/m, '')}\n${name}`, { Uint8Array, TextDecoder, ...uses });
const [forAws = ''] = blocksOf(read('packages/local/README.md'), 'js');
const [elsewhere = ''] = blocksOf(read('examples/local-kms/README.md'), 'js');
const [google = '', azure = '', transit = ''] = elsewhere.split(/\n\n(?=\/\/ )/);

test('the code of the pages opens by what each key service answers', async () => {
  const [vector] = vectors('local-lock').cases;
  if (!vector) throw new Error('the vectors must have a case (got none)');
  const { text, key, opened, sealed } = vector;
  const [plaintext, asked] = [Buffer.from(opened, 'base64'), Buffer.from(sealed, 'base64')];
  class KMSClient {
    send = vi.fn().mockResolvedValue({ Plaintext: plaintext });
  }
  const DecryptCommand = vi.fn();
  const decrypt = vi.fn().mockResolvedValueOnce([{ plaintext }]).mockResolvedValueOnce({ result: plaintext });
  const fetch = vi.fn().mockResolvedValue(Response.json({ data: { plaintext: opened } }));
  const vault = { fetch, atob, VAULT_ADDR: 'http://vault', VAULT_TOKEN: 'a-token' };
  const process = { env: { EAAS_LOCAL: text } };
  const opens = [
    valueIn(google, 'open', { kms: { decrypt }, name: 'a-name' }) as Opened,
    valueIn(azure, 'open', { crypto: { decrypt } }) as Opened,
    valueIn(transit, 'open', vault) as Opened,
  ];
  const clients = opens.map((open) => new EaasClient({ service: localService({ sealed: text, open }) }));
  const uses = { EaasClient, localService, KMSClient, DecryptCommand, process };
  for (const client of [valueIn(forAws, 'eaas', uses) as EaasClient, ...clients])
    expect(await client.encrypt('x')).toMatchObject({ key_id: key });
  const EncryptionContext = { eaas: 'local-production' };
  const bound = { KeyId: 'alias/eaas-local', EncryptionContext, CiphertextBlob: new Uint8Array(asked) };
  expect(DecryptCommand).toHaveBeenCalledWith(bound);
  const body = JSON.stringify({ ciphertext: asked.toString() });
  const [[url, request] = []] = fetch.mock.calls;
  expect(url).toBe('http://vault/v1/transit/decrypt/local-production');
  expect(request).toMatchObject({ method: 'POST', headers: { 'x-vault-token': 'a-token' }, body });
});

/** Speaks as AWS KMS does. A ciphertext is the context and the plaintext. */
async function openKms(): Promise<Environment> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = (await json(request)) as Record<string, string>;
    const { Plaintext, CiphertextBlob = '', EncryptionContext } = sent;
    const [label, bytes] = [
      JSON.stringify(EncryptionContext),
      Buffer.from(Plaintext ?? CiphertextBlob, 'base64'),
    ];
    const sealed = Buffer.concat([Buffer.from(label), bytes]).toString('base64');
    const opened = bytes.subarray(label.length).toString('base64');
    response.end(JSON.stringify(Plaintext ? { CiphertextBlob: sealed } : { Plaintext: opened }));
  };
  const server = createServer((...exchange) => void respond(...exchange)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const AWS_ENDPOINT_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { AWS_ENDPOINT_URL, AWS_DEFAULT_REGION: 'a', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'a' };
}

const { BAO = '' } = process.env;
async function openBao(): Promise<Environment> {
  const [folder, { url, root: token, call }] = [await newDirectory(), await startOpenBao(BAO)];
  await call('sys/mounts/transit', { type: 'transit' });
  symlinkSync(BAO, join(folder, 'bao'));
  return { PATH: `${folder}:${process.env['PATH']}`, VAULT_ADDR: url, VAULT_TOKEN: token };
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
      const asked = valueIn(transit, 'open', { ...env, fetch, atob }) as Opened;
      await localService({ sealed, open: asked }).ready();
    });
  });
});
