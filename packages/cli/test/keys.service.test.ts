import { randomUUID } from 'node:crypto';
import { createIntake } from '@eaas/sdk/intake';
import { expect, test } from 'vitest';
import { run } from '@eaas/test-kit/program';
import { atTerminal, commandLine, jsonLines, refusalOf } from '@eaas/test-kit/command-line';

interface Key {
  readonly key_id: string;
  readonly name: string;
  readonly status: string;
}

const eaas = await commandLine();
await eaas.json('tenant', 'create', '--name', 'acme');
await eaas.json('tenant', 'create', '--name', 'other');

const onAcme = ['--tenant', 'acme'];

async function newKey(...options: string[]): Promise<Key> {
  const name = `key ${randomUUID().slice(0, 8)}`;
  const [key] = await eaas.json<Key>('key', 'create', ...onAcme, '--name', name, ...options);
  if (!key) throw new Error('nothing was printed');
  return key;
}

async function change(name: string, key: string, ...options: string[]): Promise<Key | undefined> {
  const [changed] = await eaas.json<Key>('key', name, key, ...onAcme, ...options);
  return changed;
}

const lastAction = async (): Promise<unknown> =>
  jsonLines((await eaas('audit', 'follow', ...onAcme, '--once')).stdout).at(-1);

test('`eaas key create` prints the created key, and names the variable to set unless --json is passed', async () => {
  expect((await eaas('key', 'create', ...onAcme, '--name', 'quiet', '--json')).stderr).toBe('');
  const options = ['--name', 'patients', '--rotate-every', '90', '--exportable'];
  const { code, stdout, stderr } = await eaas('key', 'create', ...onAcme, ...options);
  expect(code).toBe(0);
  const [, keyId] = /^key_id +([\da-f-]{36})$/m.exec(stdout) ?? [];
  expect(stderr).toBe(`Next: set EAAS_KEY_ID=${keyId} for the application\n`);
  expect(await eaas.json('key', 'show', 'patients', ...onAcme)).toMatchObject([
    { key_id: keyId, name: 'patients', exportable: true, rotation_policy: { interval_days: 90 } },
  ]);
  expect(await lastAction()).toMatchObject({ action: 'key.create', key_id: keyId, actor: 'operator' });
});

test('key create refuses an interval that is too long by the name of its option', async () => {
  const options = ['--name', 'x', '--rotate-every', '3651'];
  expect(await refusalOf(eaas('key', 'create', ...onAcme, ...options), 2)).toContain('--rotate-every');
});

test('key list prints one line per key, newest first', async () => {
  const [first, second] = [await newKey(), await newKey()];
  await change('disable', first.key_id);
  const all = await eaas.json<Key>('key', 'list', ...onAcme);
  expect(all.slice(0, 2).map(({ key_id }) => key_id)).toEqual([second.key_id, first.key_id]);
  const disabled = await eaas.json<Key>('key', 'list', ...onAcme, '--status', 'disabled');
  expect(disabled).toContainEqual(expect.objectContaining({ key_id: first.key_id }));
  expect(new Set(disabled.map(({ status }) => status))).toEqual(new Set(['disabled']));
  expect((await eaas('key', 'list', ...onAcme)).stdout).toMatch(/^key_id +name +status/);
  expect(await eaas('key', 'list', ...onAcme, '--status', 'lost')).toMatchObject({ code: 2 });
});

test('the commands that change the state of a key accept its id and its name', async () => {
  const { key_id, name } = await newKey();
  expect(await change('rotate', name)).toMatchObject({ key_id, key_version: 2 });
  expect(await change('min-version', name, '2')).toMatchObject({ key_id, min_version: 2 });
  expect(await change('disable', key_id.toUpperCase())).toMatchObject({ key_id, status: 'disabled' });
  expect(await change('enable', name)).toMatchObject({ status: 'active' });
  await change('disable', name);
  expect(await change('destroy', name, '--confirm', name)).toMatchObject({ status: 'pending_destruction' });
  expect(await change('restore', name)).toMatchObject({ status: 'disabled', destroy_at: null });
  const erased = await change('destroy', name, '--grace-days', '0', '--confirm', name);
  expect(erased).toMatchObject({ status: 'destroyed' });
  expect(await lastAction()).toMatchObject({ action: 'key.destroy', key_id, actor: 'operator' });
});

test('commands find a new key by its name, even if a destroyed key had the same name', async () => {
  const { key_id, name } = await newKey();
  await change('disable', name);
  await change('destroy', name, '--grace-days', '0', '--confirm', name);
  expect(await change('show', name)).toMatchObject({ key_id });
  const [next] = await eaas.json<Key>('key', 'create', ...onAcme, '--name', name);
  expect(await change('show', name)).toMatchObject({ key_id: next?.key_id });
});

test('every command for keys prints the next command to run', async () => {
  const { key_id, name } = await newKey();
  const said = async (...args: string[]) => (await eaas('key', ...args, ...onAcme)).stderr;
  expect(await said('rotate', name)).toContain(`Next: \`eaas key show ${key_id} --tenant acme\``);
  expect(await said('disable', name)).toContain(`\`eaas key destroy ${key_id} --tenant acme\``);
  const destroyed = await said('destroy', name, '--grace-days', '7', '--confirm', name);
  expect(destroyed).toContain(
    'Clients wrapped 0 data keys under this key and unwrapped 0. It was never used to unwrap.',
  );
  expect(destroyed).toMatch(/Next: until \d{4}-\S+, `eaas key restore /);
  expect(await said('restore', name)).toContain(`\`eaas key enable ${key_id} --tenant acme\``);
});

test('a shell can run the next command that is printed for a tenant with a space and a quote in its name', async () => {
  const tenant = "Ann's clinic";
  await eaas.json('tenant', 'create', '--name', tenant);
  await eaas.json('key', 'create', '--tenant', tenant, '--name', 'notes');
  const { stderr } = await eaas('key', 'disable', 'notes', '--tenant', tenant);
  const [, words = ''] = /`eaas (key enable [^`]+)`/.exec(stderr) ?? [];
  const { stdout } = await run(['sh', '-c', `for word in ${words}; do echo "$word"; done`], {});
  const args = stdout.trimEnd().split('\n');
  expect(args.slice(-2)).toEqual(['--tenant', tenant]);
  expect(await eaas(...args)).toMatchObject({ code: 0 });
});

test('the commands for an intake key name the command that shows its public key', async () => {
  const created = await eaas('key', 'create', ...onAcme, '--name', 'contact form', '--intake');
  const [, keyId = ''] = /^key_id +(\S+)$/m.exec(created.stdout) ?? [];
  const said = `Next: \`eaas key public-key ${keyId} --tenant acme\` shows the public key for writers\n`;
  expect([created.stderr, (await eaas('key', 'show', keyId, ...onAcme)).stderr]).toEqual([said, said]);
  expect((await eaas('key', 'rotate', keyId, ...onAcme)).stderr).toBe(said);
  const list = (await eaas('key', 'list', ...onAcme)).stdout;
  expect(list).toMatch(/^key_id +name +status +intake /);
  expect(list).toMatch(new RegExp(`^${keyId} +contact form +active +true `, 'm'));

  const shown = await eaas('key', 'public-key', 'contact form', ...onAcme);
  const [, publicKey = ''] = /^intake_public_key +(\S+)$/m.exec(shown.stdout) ?? [];
  expect(createIntake({ publicKey })).toMatchObject({ keyId, keyVersion: 2 });
  expect(shown.stderr).toMatch(/^Next: give intake_public_key to the writers/);
  expect(await eaas.json('key', 'public-key', keyId, ...onAcme)).toEqual([
    { key_id: keyId, key_version: 2, intake_public_key: publicKey },
  ]);
  expect(await lastAction()).toMatchObject({ action: 'key.rotate' });
});

test('key public-key says that a key without intake has no public key, and refuses a disabled key', async () => {
  const { key_id, name } = await newKey();
  const { stdout, stderr } = await eaas('key', 'public-key', name, ...onAcme);
  expect(stdout).toMatch(/^intake_public_key +-$/m);
  expect(stderr).toMatch(/^Next: create a key with --intake/);
  expect((await eaas('key', 'show', name, ...onAcme)).stderr).toBe('');
  await change('disable', key_id);
  expect(await refusalOf(eaas('key', 'public-key', name, ...onAcme), 1)).toContain(
    'enable it first with `eaas key enable`.',
  );
});

test('if npm runs the program, the next step names the command with npx', async () => {
  const { name } = await newKey();
  const { stderr } = await eaas.with({ npm_command: 'exec' })('key', 'disable', name, ...onAcme);
  expect(stderr).toMatch(
    /^Next: `npx --no-install @eaas\/cli key enable \S+ --tenant acme` enables the key again/,
  );
});

test("an error about a key's state names the command to run first", async () => {
  const { name } = await newKey();
  const stderr = await refusalOf(eaas('key', 'destroy', name, ...onAcme, '--confirm', name), 1);
  expect(stderr).toContain('disable it first with `eaas key disable`.');
  await change('disable', name);
  const rotated = await eaas('key', 'rotate', name, ...onAcme);
  expect(rotated.stderr).toContain(
    '(got a key with the status disabled): enable it first with `eaas key enable`.',
  );
});

test('the commands for keys find neither an unknown key nor a key of another tenant', async () => {
  const { key_id, name } = await newKey();
  for (const key of [key_id, name, randomUUID()]) {
    expect(await refusalOf(eaas('key', 'disable', key, '--tenant', 'other'), 1)).toMatch(
      /^The tenant has no key with this id or name: `eaas key list --tenant /,
    );
  }
});

test('key destroy requires the name of the key in --confirm or typed at a terminal', async () => {
  const { name } = await newKey();
  await change('disable', name);
  expect(await refusalOf(eaas('key', 'destroy', name, ...onAcme), 2)).toBe(
    'Nothing was erased. Without a terminal, the command needs --confirm with the name of the key.\n',
  );
  expect(await refusalOf(eaas('key', 'destroy', name, ...onAcme, '--confirm', 'other'), 2)).toContain(
    'Nothing was erased.',
  );
  const forDays = (days: string) =>
    eaas('key', 'destroy', name, ...onAcme, '--confirm', name, `--grace-days=${days}`);
  for (const days of ['366', '1.5']) expect(await forDays(days)).toMatchObject({ code: 2, stdout: '' });
  const mistyped = await atTerminal(eaas, 'other', 'key', 'destroy', name, ...onAcme);
  expect(mistyped.stdout).toContain('Type the name of the key to continue: ');
  expect(await change('show', name)).toMatchObject({ status: 'disabled' });
  const typed = await atTerminal(eaas, name, 'key', 'destroy', name, ...onAcme);
  expect(typed.stdout).toContain('The key will be permanently erased in 30 days');
  expect(await change('show', name)).toMatchObject({ status: 'pending_destruction' });
});

test('the command shows hidden characters of names, so that no key looks like another', async () => {
  await eaas.json('tenant', 'create', '--name', 'hidden');
  const onHidden = ['--tenant', 'hidden'];
  const [name, text] = ['patients\u200b', '"patients\\u200b"'];
  for (const each of ['patients', name]) await eaas.json('key', 'create', ...onHidden, '--name', each);
  const { stdout } = await eaas('key', 'list', ...onHidden);
  const names = stdout.split('\n').map((line) => line.split(/ {2,}/)[1]);
  expect(names).toEqual(expect.arrayContaining(['patients', text]));
  const json = (await eaas('key', 'list', ...onHidden, '--json')).stdout;
  expect(json).toMatch(/^[\n -~]*$/);
  await eaas.json('key', 'disable', name, ...onHidden);
  const destroyed = await eaas('key', 'destroy', name, ...onHidden, '--confirm', text);
  expect(destroyed).toMatchObject({ code: 0, stderr: expect.stringContaining(`The key ${text}`) });
});
