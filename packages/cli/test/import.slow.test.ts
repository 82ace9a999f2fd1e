// The ladder of an app: a key file, then a server. No value is encrypted again.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { createIntake } from '@eaas/sdk/intake';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { atTerminal, commandLine, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { run, serve } from '@eaas/test-kit/program';

const context = { table: 'users', row: '42' };
const eaas = await commandLine();
const server = await serve(eaas.env);
afterAll(() => server.stop());

let file: string;
beforeEach(async () => {
  file = join(await newDirectory(), 'local.json');
});

async function clientOf(tenant: string, keyId: string): Promise<EaasClient> {
  const args = ['--tenant', tenant, '--name', 'app', '--permissions', 'all'];
  const [made] = await eaas.json<{ api_key: string }>('api-key', 'create', ...args);
  return new EaasClient({ baseUrl: server.baseUrl, apiKey: made?.api_key ?? '', keyId });
}

/** Fills a key file, and returns what reads all of it with a client. */
async function populated() {
  const service = createLocalService({ file });
  const client = new EaasClient({ service });
  const { keyId } = service;
  const contact = await service.createKey('contact form', { intake: true });
  const old = await service.createKey('old');
  const { intake_public_key } = await client.publicKey(contact.key_id);
  const intake = createIntake({ publicKey: intake_public_key ?? '' });
  const values = [
    await client.encrypt('the first version', { context }),
    await client.encrypt('in another key', { keyId: old.key_id, context }),
    await intake.encrypt('by a writer', { context }),
  ];
  await client.keys.rotate(keyId);
  await client.keys.disable(old.key_id);
  values.push(await new EaasClient({ service }).encrypt('the second version', { context }));
  const erased = await service.createKey('erased');
  await client.keys.disable(erased.key_id);
  await client.keys.destroy(erased.key_id, { grace_days: 0 });
  const read = async (reader: EaasClient) => ({
    texts: await Promise.all(
      values.map((value) => reader.decrypt(value, { as: 'text', anyKey: true, context })),
    ),
    hash: await reader.hash('ada@example.com', { keyId }),
    publicKey: await reader.publicKey(contact.key_id),
    keys: (await reader.keys.page()).keys.toSorted((a, b) => a.name.localeCompare(b.name)),
    newest: (await reader.encrypt('x', { keyId, as: 'bundle' })).key_version,
  });
  return { service, intake, read };
}

test('values of a key file stay readable and searchable in the database of a server', async () => {
  const { service, intake, read } = await populated();
  const { tenantId, keyId } = service;
  const before = await read(new EaasClient({ service, keyId }));
  expect(before.texts).toEqual(['the first version', 'in another key', 'by a writer', 'the second version']);

  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  expect(await eaas.json('import', file, '--tenant', 'values')).toMatchObject([
    { tenant_id: tenantId, name: 'values', keys: 4, default_key_id: keyId, sha256 },
  ]);
  const client = await clientOf('values', keyId);
  expect(await read(client)).toEqual(before);
  const late = await intake.encrypt('by a writer with the old public key', { context });
  expect(await client.decrypt(late, { as: 'text', anyKey: true, context })).toMatch(/^by a writer with/);
  const { logs } = await client.audit.page({ action: 'key.create' });
  expect(logs.map(({ metadata }) => metadata['imported'])).toEqual([sha256, sha256, sha256, sha256]);
  await client.keys.rotate(keyId);
  expect(await eaas('audit', 'verify', '--tenant', 'values')).toMatchObject({ code: 0 });
});

test('subjects of a key file stay readable, and erased ones erased', async () => {
  const service = createLocalService({ file });
  const { keyId } = service;
  const local = new EaasClient({ service, keyId });
  const names = Array.from({ length: 120 }, (_, nth) => `person ${nth}`);
  const values = await Promise.all(names.map((subject) => local.encrypt('x', { subject })));
  for (const subject of names.slice(0, 60)) await local.subjects.erase({ subject });
  await local.subjects.erase({ subject: 'never used' }, { create: true });
  const shown = await local.subjects.show({ subject: 'person 0' });

  expect(await eaas.json('import', file, '--tenant', 'people')).toMatchObject([{ keys: 1, subjects: 121 }]);
  const remote = await clientOf('people', keyId);
  const read = names.map((subject, nth) =>
    remote.decrypt(values[nth] ?? '', { as: 'text', subject }).catch(({ code }: { code: string }) => code),
  );
  expect(await Promise.all(read)).toEqual(names.map((_, nth) => (nth < 60 ? 'subject_erased' : 'x')));
  const wrapping = remote.encrypt('x', { subject: 'never used' });
  await expect(wrapping).rejects.toMatchObject({ code: 'subject_erased' });
  expect(await remote.subjects.show({ subject: 'person 0' })).toEqual(shown);
  expect(await eaas('audit', 'verify', '--tenant', 'people')).toMatchObject({ code: 0 });
});

test('a key file is imported once, and a refused import leaves nothing', async () => {
  const { tenantId, keyId } = createLocalService({ file });
  await eaas.json('tenant', 'create', '--name', 'taken');
  expect(await refusalOf(eaas('import', file, '--tenant', 'taken'), 1)).toContain(
    'Another tenant already has the name "taken"',
  );
  expect(await eaas('tenant', 'show', tenantId)).toMatchObject({ code: 1 });
  expect(await refusalOf(eaas('import', `${file}s`, '--tenant', 'once'), 3)).toContain(
    '(ENOENT): check the path',
  );
  const { stdout, stderr } = await eaas('import', file, '--tenant', 'once');
  expect(stdout).toMatch(new RegExp(`^default_key_id +${keyId}$`, 'm'));
  expect(stderr).toMatch(
    new RegExp(`^Next: \`eaas api-key create --tenant ${tenantId} .*\`keyId\` \\(EAAS_KEY_ID\\)`, 'm'),
  );
  expect(await refusalOf(eaas('import', file, '--tenant', 'another'), 1)).toContain(
    `The tenant ${tenantId} of the key file exists already`,
  );
  await eaas.json('tenant', 'create', '--name', 'another');
});

test('a locked key file opens with a variable, or with a passphrase that the command asks for and does not show', async () => {
  vi.stubEnv('EAAS_LOCAL_PASSPHRASE', 'correct horse');
  onTestFinished(() => void vi.unstubAllEnvs());
  createLocalService({ file });
  const args = ['import', file, '--tenant', 'locked'];
  expect(await refusalOf(eaas.with({ EAAS_LOCAL_PASSPHRASE: 'battery' })(...args), 3)).toContain(
    `The key file ${file} does not open: set EAAS_LOCAL_PASSPHRASE`,
  );
  vi.unstubAllEnvs();
  expect(await refusalOf(eaas(...args), 3)).toContain(
    'is locked with a passphrase: set EAAS_LOCAL_PASSPHRASE',
  );
  const asked = await atTerminal(eaas, 'correct horse', ...args, '--json');
  expect(asked).toMatchObject({ code: 0 });
  const [, afterQuestion] = asked.stdout.split('The passphrase of the key file');
  expect(afterQuestion).not.toContain('correct horse');
});

test('values under the keys of a locked variable stay readable, and new ones are under their newest version', async () => {
  const local = async (command: string, env = {}) => {
    const { stdout } = await run([process.execPath, 'packages/local/bin/eaas-local.mjs', command], env);
    return stdout.trim().replace('EAAS_LOCAL=', '');
  };
  const sealed = await local('rotate', { EAAS_LOCAL: await local('new') });
  const service = createLocalService({ sealed });
  const value = await new EaasClient({ service }).encrypt('token', { context, as: 'bundle' });
  expect(value.key_version).toBe(1);
  const program = join(await newDirectory(), 'kms.sh');
  await writeFile(program, '#!/bin/sh\nexec cat\n', { mode: 0o700 });
  const locked = await local('lock', { EAAS_LOCAL: sealed, EAAS_LOCAL_NEW_KMS_COMMAND: program });
  const args = ['import', '--tenant', 'variable'];
  expect(await refusalOf(eaas.with({ EAAS_LOCAL: locked })(...args), 3)).toContain('EAAS_LOCAL_KMS_COMMAND');
  const kms = { EAAS_LOCAL: locked, EAAS_LOCAL_KMS_COMMAND: program };
  expect(await eaas.with(kms)(...args)).toMatchObject({ code: 0 });
  const client = await clientOf('variable', service.keyId);
  expect(await client.decrypt(value, { as: 'text', context })).toBe('token');
  expect((await client.encrypt('x', { context, as: 'bundle' })).key_version).toBe(2);
});
