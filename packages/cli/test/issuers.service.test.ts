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
await eaas.json('tenant', 'create', '--name', 'other');
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

test('issuer add says which header the app sends, and set changes or removes what it names', async () => {
  const staff = ['--any-subject', '--require', 'role=doctor, nurse', '--subject-prefix', 'staff:'];
  const { code, stdout, stderr } = await eaas(
    'issuer',
    'add',
    ...inAcme,
    ...needed,
    '--jwks',
    jwks,
    ...staff,
  );
  expect(code).toBe(0);
  const [, id = ''] = /issuer_id +(\S+)/.exec(stdout) ?? [];
  expect(stderr).toBe(`Next: pass \`issuer: '${id}'\` to the SDK (without it: the header Eaas-Issuer)\n`);
  const on = (command: string, ...options: string[]) =>
    eaas.json('issuer', command, id, ...inAcme, ...options);
  const record = {
    jwks: { keys: [jwk] },
    permissions: ['encrypt', 'decrypt'],
    key_ids: [keyId],
    subject_prefix: 'staff:',
    any_subject: true,
    require: { role: ['doctor', 'nurse'] },
    max_age_seconds: 3_600,
  };
  expect(await on('show')).toMatchObject([record]);
  const changed = ['--max-age-seconds', '900', '--require', 'role=doctor', '--require', 'ward=3'];
  expect(await on('set', ...changed, '--authorized-parties', 'web,app')).toMatchObject([
    {
      ...record,
      max_age_seconds: 900,
      authorized_parties: ['web', 'app'],
      require: { role: ['doctor'], ward: ['3'] },
    },
  ]);
  expect(await on('set', '--authorized-parties', 'null')).toMatchObject([{ authorized_parties: null }]);
  const revoked = await on('revoke');
  expect(revoked).toMatchObject([{ revoked_at: expect.any(String) as string }]);
  expect(await eaas.json('issuer', 'list', ...inAcme)).toMatchObject([{ issuer_id: id }]);
});

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

test('an issuer of another tenant is refused', async () => {
  expect(await refusalOf(eaas('issuer', 'revoke', randomUUID(), '--tenant', 'other'), 1)).toMatch(
    /^The tenant has no issuer with this id: `eaas issuer list --tenant /,
  );
});
