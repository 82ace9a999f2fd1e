import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { run } from '@eaas/test-kit/program';
import { eaasFiles, newPlace } from './command-line.ts';

const command = (...args: string[]) => run([...eaasFiles(), ...args], {});
const commands = ['encrypt', 'decrypt', 'inspect', 'rewrap', 'export-key'];

test.each(commands)('the help of %s has examples of the command', async (name) => {
  const { code, stdout, stderr } = await command(name, '--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`Usage: eaas-files ${name} [options]`);
  expect(stdout).toMatch(new RegExp(`Examples:\n(  .*\n)*  .*eaas-files ${name}\\b`));
  expect(await command('help', name)).toEqual({ code, stdout, stderr });
  expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

test('help lists the commands and the exit codes', async () => {
  const { code, stdout } = await command('--help');
  expect(code).toBe(0);
  expect(await command('help')).toMatchObject({ code: 0, stdout });
  for (const name of commands) expect(stdout).toContain(`\n  ${name} [options]`);
  const codes = await command('help', 'exit-codes');
  expect(codes.stdout).toMatch(/^Exit codes:\n {2}0 {4}done\n {2}1 {4}/);
});

test('--version prints the version of the package', async () => {
  const manifest = new URL('../package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  for (const option of ['--version', '-V']) {
    expect(await command(option)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  }
});

test.each([
  ['no command', []],
  ['an unknown command', ['seal']],
  ['an unknown option', ['encrypt', '-x']],
  ['an option without its value', ['encrypt', '--out']],
  ['an option twice', ['encrypt', '--out', 'a', '--out', 'b']],
  ['a file that does not exist', ['encrypt', '/does/not/exist']],
  ['a folder without --recursive', ['encrypt', '/tmp']],
  ['standard input and a file', ['encrypt', '-', '/etc/hostname']],
  ['a context without a value', ['encrypt', '--context', 'document']],
  ['a name without .eaas to decrypt', ['decrypt', '/etc/hostname']],
  ['an exported key without a private key', ['decrypt', '--exported-key', 'key.json']],
  ['export-key without a public key', ['export-key']],
  ['a public key and --key', ['encrypt', '/etc/hostname', '--public-key', 'x', '--key', crypto.randomUUID()]],
])('a command line with %s exits with 2 and prints its message on standard error', async (_, args) => {
  const { code, stdout, stderr } = await command(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toBe('');
});

test('two files that would have the same output are refused', async () => {
  const place = await newPlace();
  await place.type('mkdir x y && echo 1 > x/a && echo 2 > y/a', {});
  const { code, stderr } = await place.type('eaas-files encrypt x/a y/a --out z', {});
  expect(code).toBe(2);
  expect(stderr).toBe(
    'x/a and y/a would have the same output file z/a.eaas: run a separate command for each file.\n',
  );
});

const token = `eaas_sk_${'0'.repeat(43)}4C34ms`;
const remote = { EAAS_API_KEY: token, EAAS_BASE_URL: 'https://192.0.2.1' };
const unreachable = { ...remote, EAAS_BASE_URL: 'http://127.0.0.1:1', EAAS_KEY_ID: crypto.randomUUID() };

test.each<[string, Record<string, string>, string, RegExp]>([
  ['no variables', {}, '', /^EAAS_BASE_URL and EAAS_API_KEY are not set: /],
  ['no key', remote, '', /EAAS_KEY_ID.*--key/],
  ['http: to another machine', { ...remote, EAAS_BASE_URL: 'http://192.0.2.1' }, '', /--insecure-http/],
  [
    'a URL without https:',
    { ...remote, EAAS_BASE_URL: 'eaas.example' },
    '',
    /^EAAS_BASE_URL must be the URL/,
  ],
  ['another API key', { ...remote, EAAS_API_KEY: 'abc' }, '', /^EAAS_API_KEY must be an API key/],
  ['the name of a key', { ...remote, EAAS_KEY_ID: 'patients' }, '', /^EAAS_KEY_ID must be a UUID/],
  ['a long name in the context', unreachable, `--context ${'n'.repeat(300)}=1`, /^--context must have names/],
  ['a missing public key', {}, '--public-key none.pub', /none\.pub cannot be read/],
  ['a short public key', {}, '--public-key eaas_pk_1.x', /^the public key has an unknown form/],
  ['no service', unreachable, '', /^the service could not be reached at http:\/\/127\.0\.0\.1:1/],
])('the error about %s names what a user of the command can change', async (_, env, options, expected) => {
  const place = await newPlace();
  await writeFile(place.at('a'), 'a');
  const { code, stderr } = await place.type(`eaas-files encrypt a ${options}`, env);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(expected) });
  expect(await place.list()).toEqual(['a']);
});
