import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withAdmin } from '@eaas/test-kit/database';
import { eaas as program, launch } from '@eaas/test-kit/program';
import { commandLine, jsonLines } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

interface Entry {
  readonly id: number;
  readonly action: string;
}

const onAcme = ['--tenant', 'acme'];

const eaas = await commandLine();
await eaas.json('tenant', 'create', '--name', 'acme');
const [key] = await eaas.json<{ key_id: string }>('key', 'create', ...onAcme, '--name', 'patients');
const keyId = key?.key_id ?? '';
await eaas.json('key', 'create', ...onAcme, '--name', 'other');
const apiKey = ['--name', 'app', '--permissions', 'encrypt'];
const [made] = await eaas.json<{ api_key_id: string }>('api-key', 'create', ...onAcme, ...apiKey);
const apiKeyId = made?.api_key_id ?? '';
await eaas.json('key', 'rotate', 'patients', ...onAcme);

const tail = (...options: string[]) =>
  eaas.json<Entry>('audit', 'tail', ...onAcme, '--no-follow', ...options);

test('audit tail prints the newest entries, oldest first', async () => {
  expect((await tail()).map(({ action }) => action)).toEqual([
    'key.create',
    'key.create',
    'api_key.create',
    'key.rotate',
  ]);
  expect((await tail('--last', '2')).map(({ id }) => id)).toEqual([3, 4]);
  expect(await tail('--last', '0')).toEqual([]);
});

test('audit tail --no-follow says that no entry matches', async () => {
  const args = ['audit', 'tail', ...onAcme, '--no-follow', '--actor', 'system'];
  expect(await eaas(...args)).toMatchObject({ code: 0, stdout: '', stderr: 'None.\n' });
  expect(await eaas(...args, '--json')).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('audit tail prints the newest entries that match its filters, however old they are', async () => {
  expect((await tail('--key', 'patients')).map(({ id }) => id)).toEqual([1, 4]);
  expect((await tail('--key', keyId, '--last', '1', '--action', 'key.create')).map(({ id }) => id)).toEqual([
    1,
  ]);
  expect((await tail('--actor', 'operator')).length).toBe(4);
  expect(await tail('--actor', apiKeyId)).toEqual([]);
});

test.each([
  ['--action', 'key.created', 2],
  ['--last', 'all', 2],
  ['--key', 'nobody', 1],
])('audit tail refuses the option %s with the value %s', async (option, value, code) => {
  expect(await eaas('audit', 'tail', ...onAcme, '--no-follow', option, value)).toMatchObject({
    code,
    stdout: '',
  });
});

test('each line of audit tail names the key and the actor', async () => {
  const { stdout } = await eaas('audit', 'tail', ...onAcme, '--no-follow', '--last', '1');
  expect(stdout).toMatch(
    new RegExp(
      `^\\d{4}-\\S+Z {2}#4 {2}key.rotate +patients \\(${keyId.slice(0, 8)}\\) v2 {2}by operator .*\n$`,
    ),
  );
});

test('audit tail follows the log until it is stopped', async () => {
  const args = ['audit', 'tail', ...onAcme, '--last', '1', '--json'];
  const { child, stdout, stderr } = launch([...program, ...args], eaas.env);
  const ended = once(child, 'close') as Promise<[number | null]>;
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = () => jsonLines<Entry>(stdout()).map(({ action }) => action);
  await expect.poll(() => printed().length).toBe(1);
  const [before] = printed();
  for (const command of ['disable', 'enable']) await eaas.json('key', command, 'other', ...onAcme);
  await expect.poll(printed).toEqual([before, 'key.disable', 'key.enable']);
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(0);
  expect(stderr()).toBe('');
});

test('audit tail and audit stream continue after an outage of the database', async () => {
  const cursor = join(await newDirectory(), 'audit.cursor');
  const following = [
    ['tail', ...onAcme],
    ['stream', '--cursor', cursor],
  ].map((args) => launch([...program, 'audit', ...args], eaas.env));
  const ended = following.map(({ child }) => once(child, 'close'));
  onTestFinished(() => following.forEach(({ child }) => child.kill('SIGKILL')));
  const rotations = () => following.map(({ stdout }) => stdout().match(/key\.rotate/g)?.length ?? 0);
  await expect.poll(rotations, { timeout: 30_000 }).toEqual([1, 1]);
  const { name, connection } = eaas.database;
  const outages = () => following.map(({ stderr }) => stderr().match(/^The database cannot be .*$/gm));
  const outage = ['The database cannot be reached. The output continues as soon as the database responds.'];
  await withAdmin(connection('superuser'), async (sql) => {
    await sql`alter database ${sql(name)} connection limit 0`;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and usename = 'eaas_server'`;
    await expect.poll(outages, { timeout: 30_000 }).toEqual([outage, outage]);
    await sql`alter database ${sql(name)} connection limit -1`;
  });
  await eaas.json('key', 'rotate', 'other', ...onAcme);
  await expect.poll(rotations, { timeout: 30_000 }).toEqual([2, 2]);
  for (const { child } of following) child.kill('SIGTERM');
  expect(await Promise.all(ended)).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(outages()).toEqual([outage, outage]);
});

test('if audit tail has no entry to print, it says that it waits for new entries', async () => {
  const { child, stdout, stderr } = launch(
    [...program, 'audit', 'tail', ...onAcme, '--action', 'key.destroy'],
    eaas.env,
  );
  const ended = once(child, 'close') as Promise<[number | null]>;
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(stderr).toBe('Waiting for new entries. Press Ctrl-C to stop.\n');
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(0);
  expect(stdout()).toBe('');
});
