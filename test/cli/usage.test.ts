import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { program } from '../../packages/server/src/cli/program.ts';
import { eaas as command, run } from '../conformance/program.ts';
import { type CommandLine, commandLine, newDirectory } from './command-line.ts';

type Command = Pick<typeof program, 'name' | 'summary' | 'configureOutput' | 'outputHelp'> & {
  readonly commands: readonly Command[];
};

let eaas: CommandLine;
beforeAll(async () => {
  eaas = await commandLine();
});
afterAll(() => eaas.database.drop());

function leaves(from: Command, path: string): [string, Command][] {
  return from.commands.length === 0
    ? [[path, from]]
    : from.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`.trim()));
}

const commands = leaves(program, '');

test.each(commands)('%s has a help with examples of itself and the exit codes', (path, each) => {
  let help = '';
  each.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  expect(help).toContain(`Usage: eaas ${path}`);
  expect(help).toMatch(new RegExp(`Examples:\n(  eaas .*\n)*  eaas ${path}\\b`));
  expect(help).toContain('Exit codes:\n  0  done\n  1  ');
  expect(each.summary()).toMatch(/^[A-Z][^.]{5,70}$/);
});

test('--help is on standard output, with exit code 0, and needs no configuration', async () => {
  for (const args of [['--help'], ['tenant', '-h'], ['serve', '--help']]) {
    const { code, stdout, stderr } = await run([...command, ...args], { EAAS_PORT: 'none' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Exit codes:');
  }
});

test.each([
  ['no command', []],
  ['an unknown command', ['tenent']],
  ['a group alone', ['tenant']],
  ['an unknown subcommand', ['tenant', 'shwo']],
  ['an unknown option', ['tenant', 'list', '--jsn']],
  ['a missing argument', ['tenant', 'show']],
  ['an argument too many', ['tenant', 'show', 'a', 'b']],
  ['an option without its value', ['tenant', 'create', '--name']],
])('%s is wrong usage: exit code 2, on standard error', async (_, args) => {
  const { code, stdout, stderr } = await eaas(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toBe('');
});

test('a configuration that cannot be used is exit code 3, with one sentence', async () => {
  for (const args of [['serve'], ['migrate'], ['tenant', 'list', '--json']]) {
    const { code, stdout, stderr } = await eaas.with({ EAAS_ROOT_KEY: 'hunter2' })(...args);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^EAAS_ROOT_KEY must be [^\n]*\.\n$/);
    expect(stderr).not.toContain('hunter2');
  }
});

test('a misspelled variable is noted on standard error', async () => {
  const { code, stderr } = await eaas.with({ EAAS_LOGLEVEL: 'debug' })('tenant', 'list', '--json');
  expect(code).toBe(0);
  expect(stderr).toBe('Warning: EAAS_LOGLEVEL is not a variable that this program knows; it is ignored.\n');
});

test('what a server cannot listen on is exit code 3, with the variables', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const inUse = await eaas.with({ EAAS_PORT: String(port) })('serve');
  taken.close();
  expect(inUse).toMatchObject({ code: 3 });
  expect(inUse.stderr).toMatch(/^EAAS_HOST and EAAS_PORT cannot be used: .*EADDRINUSE[^\n]*\n$/);

  const cert = join(await newDirectory(), 'cert.pem');
  for (const content of [null, 'no certificate']) {
    if (content !== null) await writeFile(cert, content);
    const tls = await eaas.with({ EAAS_TLS_CERT_FILE: cert, EAAS_TLS_KEY_FILE: cert })('serve');
    expect(tls).toMatchObject({ code: 3, stdout: '' });
    expect(tls.stderr).toMatch(/^EAAS_TLS_CERT_FILE and EAAS_TLS_KEY_FILE cannot be used: [^\n]*\n$/);
  }
});
