import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { run } from '@eaas/test-kit/program';
import { atTerminal, commandLine, refusalOf } from '@eaas/test-kit/command-line';
import { type KeyRecord, only } from '@eaas/test-kit/fixture';

const eaas = await commandLine();
await eaas.json('tenant', 'create', '--name', 'acme');

const onAcme = ['--tenant', 'acme'];
const on = (...args: string[]) => eaas('key', ...args, ...onAcme);

async function newKey() {
  const name = `key ${randomUUID().slice(0, 8)}`;
  return only(await eaas.json<KeyRecord>('key', 'create', ...onAcme, '--name', name));
}

async function change(name: string, key: string, ...options: string[]) {
  const [changed] = await eaas.json<KeyRecord>('key', name, key, ...onAcme, ...options);
  return changed;
}

test('a destroyed key is found by its name until another has it', async () => {
  const { key_id, name } = await newKey();
  await change('disable', name);
  const said = (await on('destroy', name, '--grace-days', '7', '--confirm', name)).stderr;
  expect(said).toContain(
    'Clients wrapped 0 data keys under this key and unwrapped 0. It was never used to unwrap.',
  );
  expect(said).toMatch(/Next: until \d{4}-\S+, `eaas key restore /);
  await change('restore', name);
  const erased = await change('destroy', name, '--grace-days', '0', '--confirm', name);
  expect(erased).toMatchObject({ status: 'destroyed' });
  expect(await change('show', name)).toMatchObject({ key_id });
  const [next] = await eaas.json<KeyRecord>('key', 'create', ...onAcme, '--name', name);
  expect(await change('show', name)).toMatchObject({ key_id: next?.key_id });
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

test('if npm runs the program, the next step names the command with npx', async () => {
  const { name } = await newKey();
  const { stderr } = await eaas.with({ npm_command: 'exec' })('key', 'disable', name, ...onAcme);
  expect(stderr).toMatch(/^Next: `npx --no-install @eaas\/cli key enable \S+ --tenant acme` enables/);
});

test('key destroy requires the name of the key in --confirm or typed at a terminal', async () => {
  const { name } = await newKey();
  await change('disable', name);
  expect(await refusalOf(on('destroy', name), 2)).toBe(
    'Nothing was erased. Without a terminal, the command needs --confirm with the name of the key.\n',
  );
  expect(await refusalOf(on('destroy', name, '--confirm', 'other'), 2)).toContain('Nothing was erased.');
  const mistyped = await atTerminal(eaas, 'other', 'key', 'destroy', name, ...onAcme);
  expect(mistyped.stdout).toContain('Type the name of the key to continue: ');
  expect(await change('show', name)).toMatchObject({ status: 'disabled' });
  const typed = await atTerminal(eaas, name, 'key', 'destroy', name, ...onAcme);
  expect(typed.stdout).toContain('The key will be permanently erased in 30 days');
  expect(await change('show', name)).toMatchObject({ status: 'pending_destruction' });
});

test('the command shows hidden characters of names, so that no key looks like another', async () => {
  const [name, text] = ['patients\u200b', '"patients\\u200b"'];
  await on('create', '--name', name);
  const { stdout } = await on('list');
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/)[1])).toContain(text);
  expect((await on('list', '--json')).stdout).toMatch(/^[\n -~]*$/);
  await on('disable', name);
  const destroyed = await on('destroy', name, '--confirm', text);
  expect(destroyed).toMatchObject({ code: 0, stderr: expect.stringContaining(`The key ${text}`) });
});
