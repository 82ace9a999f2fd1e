import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { eaas, type Environment, run, serve } from '@eaas/test-kit/program';

const { env: withKey } = await commandLine();
const { EAAS_ROOT_KEY: rootKey = '', ...withoutKey } = withKey;
const scriptAt = (name: string): string => join(root, 'examples/root-key', name);

/** The environment of a server that finds the program `name`, with the root key that the README's commands encrypted. */
async function encryptedBy(name: string): Promise<Environment> {
  const folder = await newDirectory();
  await symlink(join(root, 'test/examples/key-service.mjs'), join(folder, name));
  await writeFile(join(folder, 'root.key'), `${rootKey}\n`, { mode: 0o600 });
  const env = {
    ...withoutKey,
    PATH: `${folder}:${process.env['PATH']}`,
    ROOT_KEY_VAULT: 'company',
    ROOT_KEY_WRAPPED: join(folder, 'root.wrapped'),
  };
  const shown = name === 'vault' ? 'bao' : name;
  const blocks = blocksOf(read('examples/root-key/README.md'), 'sh');
  const block = blocks.find((text) => new RegExp(`^(?:.*\\| )?${shown} `).test(text)) ?? '';
  const typed = await run(['sh', '-euc', block.replace(`${shown} `, `${name} `)], env, { cwd: folder });
  expect(typed).toMatchObject({ code: 0, stderr: '' });
  return env;
}

test.each([
  ['aws.sh', 'aws'],
  ['google.sh', 'gcloud'],
  ['azure.sh', 'az'],
  ['vault.sh', 'bao'],
  ['vault.sh', 'vault'],
])('%s prints the root key that %s has encrypted, and fails with its error', async (script, name) => {
  const env = await encryptedBy(name);
  const { stdout, ...end } = await run([scriptAt(script)], env);
  expect({ ...end, stdout: stdout.trim() }).toEqual({ code: 0, stdout: rootKey, stderr: '' });
  expect(await run([scriptAt(script)], { ...env, SERVICE_IS_DOWN: '1' })).toEqual({
    code: 255,
    stdout: '',
    stderr: `${name}: the service does not answer\n`,
  });
  expect(await run([scriptAt(script)], { ...env, ROOT_KEY_WRAPPED: '/nowhere' })).toEqual({
    code: 1,
    stdout: '',
    stderr: '/nowhere cannot be read: restore it from your copy\n',
  });
});

test('a server starts with a script as EAAS_ROOT_KEY_COMMAND, and without the key service it names the cause', async () => {
  const env = { ...(await encryptedBy('aws')), EAAS_ROOT_KEY_COMMAND: scriptAt('aws.sh') };
  const server = await serve(env);
  onTestFinished(() => server.stop());
  expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
  const failed = await run([...eaas, 'serve'], { ...env, EAAS_PORT: '0', SERVICE_IS_DOWN: '1' });
  expect(failed).toMatchObject({ code: 3 });
  expect(failed.stderr).toContain('aws: the service does not answer');
  expect(failed.stderr).toContain('ended with exit code 255');
});
