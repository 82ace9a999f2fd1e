// The ladder of an app: a key file, then a server. No value is encrypted again.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { createIntake } from '@eaas/sdk/intake';
import { expect, onTestFinished, test } from 'vitest';
import { atTerminal, commandLine, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { eaas as program, run, serve } from '@eaas/test-kit/program';

const context = { table: 'users', row: '42' };

/** Fills a key file, and returns the check that a client reads all of it. */
async function populated(file: string) {
  const service = localService({ file });
  const client = new EaasClient({ service });
  const { keyId } = service;
  const contact = await service.createKey('contact form', { intake: true });
  const old = await service.createKey('old');
  const { intakePublicKey } = await client.publicKey(contact.key_id);
  const intake = createIntake({ publicKey: intakePublicKey ?? '' });
  const values = [
    await client.encrypt('the first version', { context }),
    await client.encrypt('in another key', { keyId: old.key_id, context }),
    await intake.encrypt('by a writer', { context }),
  ];
  const bound = await client.encrypt('bound', { wrapContext: { user: '7' }, context });
  await client.keys.rotate({ key_id: keyId });
  await client.keys.disable({ key_id: old.key_id });
  values.push(await new EaasClient({ service }).encrypt('the second version', { context }));
  const erased = await service.createKey('erased');
  await client.keys.disable({ key_id: erased.key_id });
  await client.keys.destroy({ key_id: erased.key_id, grace_days: 0 });
  const searched = async (reader: EaasClient) => ({
    texts: await Promise.all(
      values.map((value) => reader.decrypt(value, { as: 'text', anyKey: true, context })),
    ),
    bound: await reader.decrypt(bound, { as: 'text', wrapContext: { user: '7' }, context }),
    hash: await reader.hash('ada@example.com', { keyId }),
    publicKey: await reader.publicKey(contact.key_id),
    keys: (await reader.keys.page()).keys.toSorted((a, b) => a.name.localeCompare(b.name)),
    newest: (await reader.encrypt('x', { keyId })).key_version,
  });
  return { service, intake, read: searched };
}

async function apiKeyOf(tenant: string, call: (...args: string[]) => Promise<{ stdout: string }>) {
  const args = ['--tenant', tenant, '--name', 'app', '--permissions', 'all', '--json'];
  const [made] = jsonLines<{ api_key: string }>((await call('api-key', 'create', ...args)).stdout);
  return made?.api_key ?? '';
}

test('values of a key file stay readable and searchable in the database of `eaas dev`', async () => {
  const folder = await newDirectory();
  const [file, data] = [join(folder, 'local.json'), join(folder, 'data')];
  const { service, intake, read } = await populated(file);
  const before = await read(new EaasClient({ service, keyId: service.keyId }));
  expect(before.texts).toEqual(['the first version', 'in another key', 'by a writer', 'the second version']);

  const embedded = { EAAS_DATA_DIR: data, EAAS_PORT: '0' };
  const onEmbedded = (...args: string[]) => run([...program, ...args], embedded);
  const server = await serve(embedded, { command: 'dev' });
  onTestFinished(() => server.stop());
  const imported = await onEmbedded('import', file, '--tenant', 'acme', '--json');
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const { tenantId } = service;
  expect(jsonLines(imported.stdout)).toMatchObject([{ tenant_id: tenantId, name: 'acme', keys: 4, sha256 }]);
  const apiKey = await apiKeyOf('acme', onEmbedded);
  const { keyId } = service;
  const first = new EaasClient({ baseUrl: server.baseUrl, apiKey, keyId });
  expect(await read(first)).toEqual(before);
  const late = await intake.encrypt('by a writer with the old public key', { context });
  const { logs } = await first.audit.page({ action: 'key.create' });
  expect(logs.map(({ metadata }) => metadata['imported'])).toEqual([sha256, sha256, sha256, sha256]);
  expect(await onEmbedded('audit', 'verify', '--tenant', 'acme')).toMatchObject({ code: 0 });
  await first.keys.rotate({ key_id: keyId });
  const second = new EaasClient({ baseUrl: server.baseUrl, apiKey, keyId });
  const { keys, newest, ...after } = await read(second);
  expect(before).toMatchObject(after);
  expect(newest).toBe(3);
  expect(keys).toHaveLength(4);
  expect(await second.decrypt(late, { as: 'text', anyKey: true, context })).toMatch(/^by a writer with/);
  expect(await onEmbedded('audit', 'verify')).toMatchObject({ code: 0 });
});

test('subjects of a key file stay readable, and erased ones erased', async () => {
  const server = await commandLine();
  onTestFinished(() => server.database.drop());
  const file = join(await newDirectory(), 'local.json');
  const service = localService({ file });
  const { keyId } = service;
  const local = new EaasClient({ service, keyId });
  const names = Array.from({ length: 120 }, (_, nth) => `person ${nth}`);
  const values = await Promise.all(names.map((subject) => local.encrypt('x', { subject })));
  const erased = names.slice(0, 60);
  for (const subject of erased) await local.subjects.erase({ subject });
  await local.subjects.erase({ subject: 'never used' }, { create: true });
  const shown = await local.subjects.show({ subject: 'person 0' });

  expect(await server.json('import', file, '--tenant', 'acme')).toMatchObject([{ keys: 1, subjects: 121 }]);
  const started = await serve(server.env);
  onTestFinished(() => started.stop());
  const { baseUrl } = started;
  const remote = new EaasClient({ baseUrl, apiKey: await apiKeyOf('acme', server), keyId });
  const read = names.map((subject, nth) =>
    remote.decrypt(values[nth] ?? '', { as: 'text', subject }).catch(({ code }: { code: string }) => code),
  );
  expect(await Promise.all(read)).toEqual(
    names.map((_, nth) => (nth < erased.length ? 'subject_erased' : 'x')),
  );
  const wrapping = remote.encrypt('x', { subject: 'never used' });
  await expect(wrapping).rejects.toMatchObject({ code: 'subject_erased' });
  expect(await remote.subjects.show({ subject: 'person 0' })).toEqual(shown);
  expect(await remote.usage()).toMatchObject({ subjects: 60 });

  const log = jsonLines<{ action: string; metadata: object }>(
    (await server('audit', 'export', '--tenant', 'acme')).stdout,
  );
  expect(log.filter(({ action }) => action === 'subject.erase')).toHaveLength(61);
  expect(await server('audit', 'verify', '--tenant', 'acme')).toMatchObject({ code: 0 });
});

test('a key file is imported once, and a refused import leaves nothing', async () => {
  const server = await commandLine();
  onTestFinished(() => server.database.drop());
  const file = join(await newDirectory(), 'local.json');
  const { tenantId } = localService({ file });
  await server.json('tenant', 'create', '--name', 'taken');
  expect(await refusalOf(server('import', file, '--tenant', 'taken'), 1)).toContain(
    'Another tenant already has the name "taken"',
  );
  expect(await server('tenant', 'show', tenantId)).toMatchObject({ code: 1 });

  const done = await server('import', file, '--tenant', 'acme');
  expect(done).toMatchObject({ code: 0 });
  expect(done.stderr).toContain(`Next: \`eaas api-key create --tenant ${tenantId}`);
  expect(await refusalOf(server('import', file, '--tenant', 'another'), 1)).toContain(
    `The tenant ${tenantId} of the key file exists already`,
  );
  expect((await server.json<{ name: string }>('tenant', 'list')).map(({ name }) => name)).toEqual([
    'acme',
    'taken',
  ]);
  await server.json('tenant', 'create', '--name', 'another');
});

test('a locked key file opens with a variable, or with a passphrase that the command asks for and does not show', async () => {
  const server = await commandLine();
  onTestFinished(() => server.database.drop());
  const file = join(await newDirectory(), 'local.json');
  process.env['EAAS_LOCAL_PASSPHRASE'] = 'correct horse';
  onTestFinished(() => void delete process.env['EAAS_LOCAL_PASSPHRASE']);
  localService({ file });
  delete process.env['EAAS_LOCAL_PASSPHRASE'];

  expect(await refusalOf(server('import', file, '--tenant', 'acme'), 2)).toContain(
    'is locked with a passphrase: set EAAS_LOCAL_PASSPHRASE',
  );
  expect(
    await refusalOf(server.with({ EAAS_LOCAL_PASSPHRASE: 'battery' })('import', file, '--tenant', 'acme'), 3),
  ).toContain(`The key file ${file} does not open: set EAAS_LOCAL_PASSPHRASE`);
  const asked = await atTerminal(server, 'correct horse', 'import', file, '--tenant', 'acme', '--json');
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.stdout).toContain('The passphrase of the key file');
  const [, afterQuestion = ''] = asked.stdout.split('The passphrase of the key file');
  expect(afterQuestion).not.toContain('correct horse');
  expect(await server.json('tenant', 'list')).toHaveLength(1);
});

test('values under the keys of a variable stay readable, and new ones are under their newest version', async () => {
  const data = join(await newDirectory(), 'data');
  const local = (command: string, sealed?: string) =>
    run(
      [process.execPath, 'packages/local/bin/eaas-local.mjs', command],
      sealed === undefined ? {} : { EAAS_LOCAL: sealed },
    );
  const sealedIn = ({ stdout }: { stdout: string }) => stdout.trim().replace('EAAS_LOCAL=', '');
  const sealed = sealedIn(await local('rotate', sealedIn(await local('new'))));
  const service = localService({ sealed });
  const value = await new EaasClient({ service }).encrypt('token', { context });
  expect(value.key_version).toBe(1);

  const embedded = { EAAS_DATA_DIR: data, EAAS_PORT: '0', EAAS_LOCAL: sealed };
  const onEmbedded = (...args: string[]) => run([...program, ...args], embedded);
  const server = await serve(embedded, { command: 'dev' });
  onTestFinished(() => server.stop());
  expect(await onEmbedded('import', '--tenant', 'acme')).toMatchObject({ code: 0 });
  const apiKey = await apiKeyOf('acme', onEmbedded);
  const client = new EaasClient({ baseUrl: server.baseUrl, apiKey, keyId: service.keyId });
  expect(await client.decrypt(value, { as: 'text', context })).toBe('token');
  expect((await client.encrypt('x', { context })).key_version).toBe(2);
});
