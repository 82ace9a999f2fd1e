import { CannotStart } from '@eaas/server/internal';
import { readConfig } from '@eaas/test-kit/cli';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { fakeTransit, honest, listen, token } from '@eaas/test-kit/fake-transit';
import { selfSigned } from '@eaas/test-kit/certificate';
import { wrapRootKey } from './wrapped.ts';

const key = Uint8Array.from(randomBytes(32));

async function fileWith(content: unknown): Promise<string> {
  const directory = await newDirectory();
  const path = join(directory, 'file');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const wrapped = {
  provider: 'transit',
  key: 'transit/eaas-root',
  ciphertext: `vault:v1:${Array.from(Buffer.from(key).toString('base64')).toReversed().join('')}`,
} as const;

async function load(
  env: Record<string, string>,
  content: unknown = wrapped,
): Promise<Uint8Array | undefined> {
  const { rootKey } = readConfig({ ...env, EAAS_ROOT_KEY_WRAPPED_FILE: await fileWith(content) });
  return rootKey?.load();
}

async function refusal(env: Record<string, string>, content: unknown = wrapped): Promise<string> {
  const error = await load(env, content).catch((reason: unknown) => reason);
  if (!(error instanceof CannotStart)) throw new Error('expected the error CannotStart for the settings');
  expect(error.message).toMatch(/^EAAS_ROOT_KEY_WRAPPED_FILE: .*\.$/);
  expect(error.message).not.toContain(token);
  expect(error.message).not.toContain(Buffer.from(key).toString('base64'));
  return error.message;
}

test('a server opens the root key that Transit wrapped', async () => {
  const { env, requests } = await fakeTransit();
  const made = await wrapRootKey('transit', 'transit/eaas-root', key, env);
  expect(made).toEqual(wrapped);
  expect(await load({ ...env, VAULT_NAMESPACE: 'team' }, made)).toEqual(key);
  expect(requests.map(({ path }) => path)).toEqual([
    '/v1/transit/encrypt/eaas-root',
    '/v1/transit/decrypt/eaas-root',
  ]);
  expect(requests.map(({ headers }) => headers['x-vault-namespace'])).toEqual([undefined, 'team']);
  expect(requests.map(({ body }) => body)).toEqual([
    { plaintext: Buffer.from(key).toString('base64') },
    { ciphertext: wrapped.ciphertext },
  ]);
});

test('a wrapped file can also contain the previous root key', async () => {
  const { env } = await fakeTransit();
  const { rootKey, previousRootKey } = readConfig({
    ...env,
    EAAS_ROOT_KEY: Buffer.alloc(32, 1).toString('base64'),
    EAAS_ROOT_KEY_PREVIOUS_WRAPPED_FILE: await fileWith(wrapped),
  });
  expect(await rootKey?.load()).toEqual(new Uint8Array(32).fill(1));
  expect(await previousRootKey?.load()).toEqual(key);
});

test('BAO_ variables of Transit have precedence over VAULT_ variables', async () => {
  const { env, requests } = await fakeTransit();
  const { VAULT_TOKEN: _, ...rest } = env;
  const ofBao = { BAO_ADDR: `${env.VAULT_ADDR}/vault`, BAO_TOKEN_PATH: await fileWith(`${token}\n`) };
  expect(await load({ ...rest, VAULT_ADDR: 'https://nowhere.example', ...ofBao })).toEqual(key);
  expect(requests.map(({ path }) => path)).toEqual(['/vault/v1/transit/decrypt/eaas-root']);
});

test('the token of Transit is sent only to a server with a trusted certificate', async () => {
  const { certificate, key: privateKey } = selfSigned();
  const { env, requests } = await fakeTransit(honest, { cert: certificate, key: privateKey });
  expect(await refusal(env)).toContain('did not respond (DEPTH_ZERO_SELF_SIGNED_CERT)');
  expect(requests).toEqual([]);
  expect(await load({ ...env, VAULT_CACERT: await fileWith(certificate) })).toEqual(key);
});

test.each<[string, number, unknown, string]>([
  ['an unknown token', 403, { errors: ['permission denied'] }, 'allows update on transit/decrypt/eaas-root'],
  ['a wrong mount', 404, { errors: [] }, 'Check the mount'],
  [
    'an altered ciphertext',
    400,
    { errors: ['cipher: message authentication failed'] },
    'authentication failed',
  ],
  ['a sealed server', 503, { errors: ['Vault is sealed'] }, 'unseal it'],
  ['a redirect', 307, '', 'redirects are not followed'],
  ['a broken proxy', 502, '<html>', 'status 502'],
  ['an error that repeats the token', 500, { errors: [`bad\n${token}`] }, 'status 500: bad [token]'],
  ['a page', 200, '<html>', 'an unexpected response to decrypt'],
  ['an empty object', 200, {}, 'an unexpected response to decrypt'],
  ['31 bytes', 200, { data: { plaintext: Buffer.alloc(31).toString('base64') } }, '32 bytes'],
  ['text', 200, { data: { plaintext: 'secret' } }, '32 bytes'],
  ['too much', 200, 'x'.repeat(70_000), 'more than 65536 bytes'],
])('%s stops the start with a sentence', async (_, status, body, sentence) => {
  const { env } = await fakeTransit(() => ({ status, body }));
  expect(await refusal(env)).toContain(sentence);
});

test('if the Transit service does not respond, the server reports the connection error and does not start', async () => {
  const port = await listen(createServer((request) => request.socket.destroy()));
  const env = { VAULT_ADDR: `http://127.0.0.1:${port}`, VAULT_TOKEN: token };
  expect(await refusal(env)).toContain('did not respond (ECONNRESET)');
  expect(await refusal({ ...env, VAULT_ADDR: 'http://127.0.0.1:1' })).toContain('ECONNREFUSED');
});

test.each<[string, Record<string, string>, string]>([
  ['no address', { VAULT_TOKEN: token }, 'VAULT_ADDR must be the URL'],
  ['plain HTTP', { VAULT_ADDR: 'http://vault.example', VAULT_TOKEN: token }, 'VAULT_ADDR must be'],
  [
    'a password',
    { VAULT_ADDR: `https://me:${token}@vault.example`, VAULT_TOKEN: token },
    'VAULT_ADDR must be',
  ],
  ['no token', { VAULT_ADDR: 'https://vault.example' }, 'VAULT_TOKEN_PATH to a file'],
  [
    'two tokens',
    { VAULT_ADDR: 'https://vault.example', VAULT_TOKEN: token, BAO_TOKEN_PATH: '/run/token' },
    'VAULT_TOKEN and VAULT_TOKEN_PATH are both set',
  ],
  [
    'a missing file of the token',
    { VAULT_ADDR: 'https://vault.example', VAULT_TOKEN_PATH: '/nowhere/token' },
    'VAULT_TOKEN_PATH: the file /nowhere/token cannot be read (ENOENT)',
  ],
  [
    'a token of two lines',
    { VAULT_ADDR: 'https://vault.example', VAULT_TOKEN: `${token}\nx: y` },
    'without spaces and line breaks',
  ],
  [
    'a missing CA',
    { VAULT_ADDR: 'https://vault.example', VAULT_TOKEN: token, VAULT_CACERT: '/nowhere/ca.pem' },
    'VAULT_CACERT: the file /nowhere/ca.pem',
  ],
])('%s stops the start before anything is sent', async (_, env, sentence) => {
  expect(await refusal(env)).toContain(sentence);
});

test.each([
  'eaas-root',
  '../sys/eaas',
  'transit/../sys',
  'transit/a?b',
  'transit//a',
  '/transit/a',
  'transit/',
])('the key name %j of Transit is refused, and no request is sent', async (name) => {
  const { env, requests } = await fakeTransit();
  expect(await refusal(env, { ...wrapped, key: name })).toContain('must have the form mount/name');
  expect(requests).toEqual([]);
});

test.each<[string, unknown]>([
  ['a root key', Buffer.from(key).toString('base64')],
  ['nothing', ''],
  ['another provider', { ...wrapped, provider: 'gcp' }],
  ['no ciphertext', { provider: 'transit', key: 'transit/eaas-root' }],
  ['an unknown field', { ...wrapped, address: 'https://thief.example' }],
])('a wrapped file with %s is refused without showing the content', async (_, content) => {
  expect(await refusal({}, content)).toContain('must be a file that `eaas root-key wrap` wrote');
});

test('the start fails if the wrapped file is missing or two root keys are configured', async () => {
  const { rootKey } = readConfig({ EAAS_ROOT_KEY_WRAPPED_FILE: '/nowhere/root.wrapped' });
  await expect(rootKey?.load()).rejects.toThrow(
    'EAAS_ROOT_KEY_WRAPPED_FILE: the file /nowhere/root.wrapped cannot be read (ENOENT).',
  );
  const two = { EAAS_ROOT_KEY_FILE: 'root.key', EAAS_ROOT_KEY_WRAPPED_FILE: 'root.wrapped' };
  expect(() => readConfig(two)).toThrow('EAAS_ROOT_KEY_FILE and EAAS_ROOT_KEY_WRAPPED_FILE are both set');
});
