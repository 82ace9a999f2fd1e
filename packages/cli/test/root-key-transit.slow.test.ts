import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eaas as program, run } from '@eaas/test-kit/program';
import { whereAvailable } from '@eaas/test-kit/available';
import { startOpenBao } from '@eaas/test-kit/open-bao';
import { commandLine, jsonLines } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

const bao = process.env['BAO'];

whereAvailable('OpenBao (BAO=path of bao)', bao !== undefined, () => {
  test('a Transit token that can only decrypt cannot wrap a root key', async () => {
    const { url, root, call } = await startOpenBao(bao ?? '');
    await call('sys/mounts/transit', { type: 'transit' });
    await call('transit/keys/eaas-root', {});
    const policy = 'path "transit/decrypt/eaas-root" { capabilities = ["update"] }';
    await call('sys/policies/acl/eaas-root', { policy });
    const { auth } = await call('auth/token/create', { policies: ['eaas-root'], no_default_policy: true });
    const eaas = await commandLine();
    const file = join(await newDirectory(), 'root.wrapped');
    const wrap = ['root-key', 'wrap', '--transit', 'transit/eaas-root', '--out'];
    const operator = eaas.with({ VAULT_ADDR: url, VAULT_TOKEN: root });
    expect(await operator.json(...wrap, file)).toMatchObject([
      { provider: 'transit', key: 'transit/eaas-root' },
    ]);

    const { EAAS_ROOT_KEY: _, ...rest } = eaas.env;
    const env = { ...rest, VAULT_ADDR: url, VAULT_TOKEN: auth?.['client_token'] ?? '' };
    const opened = await run([...program, 'root-key', 'check', '--json'], {
      ...env,
      EAAS_ROOT_KEY_WRAPPED_FILE: file,
    });
    expect(jsonLines(opened.stdout)).toEqual(await eaas.json('root-key', 'check'));
    const refused = await eaas.with(env)(...wrap, `${file}.other`);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('allows update on transit/encrypt/eaas-root');
    await call('transit/keys/eaas-root/rotate', {});
    await call('transit/keys/eaas-root/config', { min_decryption_version: 2 });
    const old = await run([...program, 'root-key', 'check'], { ...env, EAAS_ROOT_KEY_WRAPPED_FILE: file });
    expect(old).toMatchObject({ code: 3, stdout: '' });
    expect(old.stderr).toContain('min_decryption_version');
  });
});

test('the start fails if the Transit server that unwraps the root key accepts the connection but never responds', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const eaas = await commandLine();
  const file = join(await newDirectory(), 'root.wrapped');
  const wrapped = { provider: 'transit', key: 'transit/eaas-root', ciphertext: 'vault:v1:AAAA' };
  await writeFile(file, JSON.stringify(wrapped));
  const { EAAS_ROOT_KEY: _, ...rest } = eaas.env;
  const transit = { VAULT_ADDR: `http://127.0.0.1:${port}`, VAULT_TOKEN: 'secret-of-the-test' };
  const env = { ...rest, ...transit, EAAS_ROOT_KEY_WRAPPED_FILE: file, EAAS_PORT: '0' };
  const { code, stdout, stderr } = await run([...program, 'serve'], env);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toMatch(/^EAAS_ROOT_KEY_WRAPPED_FILE: Transit at [^\n]* did not respond [^\n]*\.\n$/);
  expect(stderr).toContain('no response within 10 s');
  expect(stderr).not.toContain('secret-of-the-test');
});
