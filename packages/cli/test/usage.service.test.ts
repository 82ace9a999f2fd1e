import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { program } from '../src/program.ts';
import { leaves } from '@eaas/test-kit/cli';
import { eaas as command, launch, run, serve } from '@eaas/test-kit/program';
import { commandLine, refusalOf } from '@eaas/test-kit/command-line';

const eaas = await commandLine();

test.each(leaves(program))('the help of %s has examples of the command', (path, each) => {
  let help = '';
  each.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  expect(help).toContain(`Usage: ${path}`);
  expect(help).toMatch(new RegExp(`Examples:\n(  eaas .*\n)*  ${path}\\b`));
  expect(each.summary()).toMatch(/^[A-Z][^.]{5,70}$/);
});

test('--help prints to standard output, exits with 0 and needs no configuration', async () => {
  const { code, stdout, stderr } = await run([...command, 'serve', '--help'], { EAAS_PORT: 'none' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Usage: eaas');
  expect(stdout).not.toMatch(/exit codes:/i);
});

test('eaas help explains the exit codes and every command', async () => {
  const help = (...topic: string[]) => run([...command, 'help', ...topic], { EAAS_PORT: 'none' });
  const codes = await help('exit-codes');
  expect(codes).toMatchObject({ code: 0, stderr: '' });
  expect(codes.stdout).toMatch(/^Exit codes:\n {2}0 {2}done\n {2}1 {2}/);
  expect((await help()).stdout).toContain('Usage: eaas [options] [command]');
  expect((await help('key', 'create')).stdout).toContain('Usage: eaas key create [options]');
  expect(await refusalOf(help('key', 'made'), 2)).toContain('There is no command `eaas key made`');
});

test.each([
  [['tenent'], 'tenant'],
  [['key', 'rotat'], 'rotate'],
  [['key', 'list', '--tenant', 'acme', '--jsn'], '--json'],
  [['key', 'list', '--tenat=acme'], '--tenant'],
])('the error about the misspelt %s names the nearest correct word', async (args, nearest) => {
  expect(await refusalOf(eaas(...args), 2)).toContain(`(Did you mean ${nearest}?)`);
});

test('--version prints the version of the package', async () => {
  const manifest = new URL('../package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const printed = await run([...command, '--version'], {});
  expect(printed).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  ['too many arguments', ['tenant', 'show', 'a', 'b']],
  ['an option without its value', ['tenant', 'create', '--name']],
])('a command line with %s exits with 2 and prints its message on standard error', async (_, args) => {
  const stderr = await refusalOf(eaas(...args), 2);
  expect(stderr).not.toBe('');
});

test('a misspelt variable is reported on standard error', async () => {
  const { code, stderr } = await eaas.with({ EAAS_LOGLEVEL: 'debug' })('tenant', 'list', '--json');
  expect(code).toBe(0);
  expect(stderr).toBe(
    'Warning: EAAS_LOGLEVEL is not a variable of this program and is ignored. Did you mean EAAS_LOG_LEVEL?\n',
  );
});

test('SIGTERM to npx ends the server that npx started', async () => {
  const line = [...command, 'serve'].map((word) => `'${word}'`).join(' ');
  const { child, stdout } = launch(['npx', '-c', line], {
    ...eaas.env,
    EAAS_PORT: '0',
    EAAS_DRAIN_SECONDS: '0',
  });
  // The server has the other end of the pipes, so they close when it has ended.
  const closed = once(child, 'close');
  await expect.poll(stdout).toContain('Eaas listens on');
  child.kill('SIGTERM');
  await closed;
});

test('a server has no public log unless it is told, and after SIGTERM is not ready, but serves until a second signal', async () => {
  const server = await serve({ ...eaas.env, EAAS_DRAIN_SECONDS: '300' });
  const ask = async (path: string) => {
    const { status, headers } = await fetch(server.baseUrl + path);
    return [status, headers.get('connection')];
  };
  expect(await ask('/readyz')).toEqual([200, 'keep-alive']);
  expect(await ask('/log/checkpoint')).toEqual([404, 'keep-alive']);
  server.signal('SIGTERM');
  await expect.poll(() => ask('/readyz')).toEqual([503, 'close']);
  expect(await ask('/openapi.json')).toEqual([200, 'close']);
  await server.stop();
  expect(await server.ended).toEqual({ code: 0, signal: null });
});
