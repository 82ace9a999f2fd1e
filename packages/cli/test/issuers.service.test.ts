import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { newSignIn } from '@eaas/test-kit/sign-in';

const eaas = await commandLine();
const inAcme = ['--tenant', 'acme'] as const;
await eaas.json('tenant', 'create', '--name', 'acme');
const [key] = await eaas.json<{ key_id: string }>('key', 'create', ...inAcme, '--name', 'patients');
const keyId = key?.key_id ?? '';

const directory = await newDirectory();
async function fileOf(content: unknown): Promise<string> {
  const path = join(directory, randomUUID());
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const { jwk } = newSignIn();
const jwks = await fileOf({ keys: [jwk] });
const identity = ['--issuer', 'https://sign-in.example', '--audience', 'https://app.example'];
const allowed = ['--permissions', 'encrypt,decrypt', '--key-ids', keyId];
const needed = ['--name', 'patients', ...identity, ...allowed];

test('keys are fetched from hosts that EAAS_ISSUER_HOSTS allows', async () => {
  const args = ['issuer', 'add', ...inAcme, ...needed, '--jwks-uri', 'https://keys.example/jwks'];
  expect(await refusalOf(eaas(...args), 2)).toMatch(
    /^--jwks-uri names the host "keys.example", .*EAAS_ISSUER_HOSTS.*--jwks\.?\n$/,
  );
  const allowing = eaas.with({ EAAS_ISSUER_HOSTS: 'sign-in.example, *.keys.example,keys.example' });
  const [made] = await allowing.json(...args);
  expect(made).toMatchObject({ jwks: null, jwks_uri: 'https://keys.example/jwks' });
});

const privateKey = await fileOf({ keys: [{ ...jwk, d: 'AAAA' }] });

test.each<[string, readonly string[], string]>([
  ['no keys', [], '--jwks is missing'],
  ['a file that does not exist', ['--jwks', '/nowhere/keys.json'], 'cannot be read (ENOENT)'],
  ['a file that is no JSON', ['--jwks', await fileOf('keys')], 'is not a JSON Web Key Set'],
  ['a private key', ['--jwks', privateKey], 'is a private or symmetric key: send public keys only'],
  ['a claim without values', ['--jwks', jwks, '--require', 'role'], 'as in role=doctor,nurse'],
  ['a claim twice', ['--jwks', jwks, '--require', 'a=1', '--require', 'a=2'], 'Pass each claim once'],
])('issuer add with %s exits with 2 and says what to do', async (_, options, message) => {
  const stderr = await refusalOf(eaas('issuer', 'add', ...inAcme, ...needed, ...options), 2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('AAAA');
});
