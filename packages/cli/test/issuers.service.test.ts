import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { newSignIn } from '@eaas/test-kit/sign-in';

interface Issuer {
  readonly issuer_id: string;
}

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
const jwks = await fileOf({ keys: [jwk], updated: 'yesterday' });
const identity = ['--issuer', 'https://sign-in.example', '--audience', 'https://app.example'];
const allowed = ['--permissions', 'encrypt,decrypt', '--key-ids', keyId];
const needed = ['--name', 'patients', ...identity, ...allowed];

async function add(...options: string[]): Promise<Issuer> {
  const [made] = await eaas.json<Issuer>('issuer', 'add', ...inAcme, ...needed, ...options);
  if (!made) throw new Error('nothing was printed');
  return made;
}

test('issuer add, show, list, set and revoke', async () => {
  const made = await add('--jwks', jwks);
  const record = {
    name: 'patients',
    issuer: 'https://sign-in.example',
    audience: 'https://app.example',
    jwks: { keys: [jwk] },
    permissions: ['encrypt', 'decrypt'],
    key_ids: [keyId],
    subject_claim: 'sub',
    subject_prefix: '',
    kind: 'people',
    any_subject: false,
    max_age_seconds: 3_600,
    created_by: 'operator',
    revoked_at: null,
  };
  expect(made).toMatchObject(record);
  const on = (command: string, ...options: string[]) =>
    eaas.json('issuer', command, made.issuer_id, ...inAcme, ...options);
  expect(await on('show')).toEqual([made]);

  const limits = ['--max-age-seconds', '900', '--expires-at', '2999-01-01T00:00:00Z'];
  const lists = ['--allowed-origins', 'https://a.example', '--authorized-parties', 'web,app'];
  const claims = ['--require', 'role=doctor, nurse', '--require', 'ward=3'];
  expect(await on('set', ...limits, ...lists, ...claims)).toMatchObject([
    {
      ...record,
      max_age_seconds: 900,
      expires_at: '2999-01-01T00:00:00.000Z',
      allowed_origins: ['https://a.example'],
      authorized_parties: ['web', 'app'],
      require: { role: ['doctor', 'nurse'], ward: ['3'] },
    },
  ]);
  const removable = ['--expires-at', '--allowed-origins', '--authorized-parties', '--require'];
  expect(await on('set', ...removable.flatMap((option) => [option, 'null']))).toMatchObject([
    { expires_at: null, allowed_origins: null, authorized_parties: null, require: null },
  ]);
  const newer = await add('--jwks', jwks, '--subject-claim', 'sub');
  const listed = await eaas.json<Issuer>('issuer', 'list', ...inAcme);
  expect(listed.map(({ issuer_id }) => issuer_id)).toEqual([newer.issuer_id, made.issuer_id]);
  expect((await eaas('issuer', 'list', ...inAcme)).stdout).toMatch(
    /^issuer_id +name +kind +issuer +permissions/,
  );

  const revoked = await on('revoke');
  expect(revoked).toMatchObject([{ revoked_at: expect.any(String) as string }]);
  expect(await on('revoke')).toEqual(revoked);
});

test('issuer add says which header the app sends, and makes an issuer for staff', async () => {
  const staff = ['--any-subject', '--require', 'role=doctor', '--subject-prefix', 'staff:'];
  const args = ['add', ...inAcme, ...needed, '--jwks', jwks, ...staff];
  const { code, stdout, stderr } = await eaas('issuer', ...args);
  expect(code).toBe(0);
  const [, id = ''] = /issuer_id +(\S+)/.exec(stdout) ?? [];
  expect(stderr).toBe(`Next: pass \`issuer: '${id}'\` to the SDK (without it: the header Eaas-Issuer)\n`);
  expect(await eaas.json('issuer', 'show', id, ...inAcme)).toMatchObject([
    { any_subject: true, subject_prefix: 'staff:', require: { role: ['doctor'] } },
  ]);
});

test('keys are fetched from hosts that EAAS_ISSUER_HOSTS allows', async () => {
  const args = ['issuer', 'add', ...inAcme, ...needed, '--jwks-uri', 'https://keys.example/jwks'];
  expect(await refusalOf(eaas(...args), 2)).toMatch(
    /^--jwks-uri names the host "keys.example", .*EAAS_ISSUER_HOSTS.*--jwks\.?\n$/,
  );
  const allowing = eaas.with({ EAAS_ISSUER_HOSTS: 'sign-in.example, *.keys.example,keys.example' });
  const [made] = await allowing.json<Issuer>(...args);
  expect(made).toMatchObject({ jwks: null, jwks_uri: 'https://keys.example/jwks' });
  const change = ['issuer', 'set', made?.issuer_id ?? '', ...inAcme];
  expect(await eaas.json(...change, '--jwks', jwks)).toMatchObject([
    { jwks: { keys: [jwk] }, jwks_uri: null },
  ]);
  const both = [...change, '--jwks', jwks, '--jwks-uri', 'https://keys.example/jwks'];
  expect(await allowing(...both)).toMatchObject({ code: 2 });
});

const withoutKeys = await fileOf({ kty: 'EC' });
const privateKey = await fileOf({ keys: [{ ...jwk, d: 'AAAA' }] });

test.each<[string, readonly string[], string]>([
  ['no keys', [], '--jwks is missing'],
  ['a file that does not exist', ['--jwks', '/nowhere/keys.json'], 'cannot be read (ENOENT)'],
  ['a file that is no JSON', ['--jwks', await fileOf('keys')], 'is not a JSON Web Key Set'],
  ['a file without `keys`', ['--jwks', withoutKeys], 'is not a JSON Web Key Set'],
  ['a private key', ['--jwks', privateKey], 'is a private or symmetric key: send public keys only'],
  ['a claim without values', ['--jwks', jwks, '--require', 'role'], 'as in role=doctor,nurse'],
  ['a claim twice', ['--jwks', jwks, '--require', 'a=1', '--require', 'a=2'], 'Pass each claim once'],
  ['staff without a claim', ['--jwks', jwks, '--any-subject'], '--require is missing'],
  ['a short age', ['--jwks', jwks, '--max-age-seconds', '59'], '--max-age-seconds must'],
])('issuer add with %s exits with 2 and says what to do', async (_, options, message) => {
  const stderr = await refusalOf(eaas('issuer', 'add', ...inAcme, ...needed, ...options), 2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('AAAA');
});

test('an issuer or a key of another tenant is refused by the name of the option', async () => {
  const { issuer_id } = await add('--jwks', jwks);
  expect(await refusalOf(eaas('issuer', 'revoke', issuer_id, '--tenant', 'other'), 1)).toMatch(
    /^The tenant has no issuer with this id: `eaas issuer list --tenant /,
  );
  const elsewhere = ['--tenant', 'other', ...needed, '--jwks', jwks];
  for (const args of [
    ['add', ...elsewhere],
    ['set', issuer_id, ...inAcme, '--key-ids', randomUUID()],
  ]) {
    expect(await refusalOf(eaas('issuer', ...args), 1)).toBe(
      'The tenant does not have all of the keys in --key-ids: pass only ids of its own keys.\n',
    );
  }
  expect(await refusalOf(eaas('issuer', 'set', issuer_id, ...inAcme), 2)).toMatch(
    /^Pass at least one option that changes the issuer/,
  );
  expect(jsonLines((await eaas('issuer', 'list', '--tenant', 'other', '--json')).stdout)).toEqual([]);
});
