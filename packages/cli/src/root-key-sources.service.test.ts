import { CannotStart, rootKeyFromCommand } from '@eaas/server/internal';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { wipedBy } from '@eaas/test-kit/wiped-by';
import { readConfig } from './config.ts';

const key = new Uint8Array(32).fill(7);
const text = Buffer.from(key).toString('base64');

async function program(lines: string): Promise<string> {
  const directory = await newDirectory();
  const path = join(directory, 'print-key');
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
  return path;
}

const run = (path: string, milliseconds?: number): Promise<Uint8Array> =>
  rootKeyFromCommand('EAAS_ROOT_KEY_COMMAND', path, { PATH: process.env['PATH'] }, milliseconds).load();

test('the output of a root key program is overwritten', async () => {
  const path = await program(`echo ${text}`);
  const wiped = await wipedBy(async () => expect(await run(path)).toEqual(key));
  expect(wiped.map(String)).toEqual([`${text}\n`, `${text}\n\0`]);
});

test.each([
  ['fails', `echo ${text}; exit 3`, 'ended with exit code 3'],
  ['is killed', 'kill -KILL $$', 'ended with signal SIGKILL'],
  ['prints nothing', 'true', 'did not print exactly 32 bytes'],
  ['prints without end', 'exec yes', 'did not print exactly 32 bytes'],
])('a root key program that %s stops the start without showing its output', async (_, lines, sentence) => {
  const failure = run(await program(lines), 60_000);
  await expect(failure).rejects.toThrow(CannotStart);
  await expect(failure).rejects.toThrow(sentence);
  await expect(failure).rejects.not.toThrow(text.slice(4, 20));
});

// `sleep 86400` runs for a day, so these tests end only if the server stops the program.
test.each(['sleep 86400', 'sleep 86400 & true'])(
  'a root key program that runs `%s` is stopped after the time limit',
  async (lines) => {
    await expect(run(await program(lines), 300)).rejects.toThrow('did not end within 0.3 s');
  },
);

test('the start fails if the root key program is missing or its path is followed by arguments', async () => {
  await expect(run('/nowhere/print-key')).rejects.toThrow('cannot be run (ENOENT)');
  const path = await program(`echo ${text}`);
  await expect(run(`${path} --now`)).rejects.toThrow('cannot be run (ENOENT)');
});

test('the root key program runs once and gets no arguments, no DATABASE_URL and no EAAS_ variables', async () => {
  const path = await program(`{ echo "args: $*"; env; } >> "$0.log"; echo ${text}`);
  const { rootKey, previousRootKey } = readConfig({
    PATH: process.env['PATH'],
    VAULT_ADDR: 'https://vault.example',
    DATABASE_URL: 'postgres://app:hunter2@db.example/shop',
    EAAS_DATABASE_URL: 'postgres://server:hunter2@db.example/eaas',
    EAAS_MIGRATE_DATABASE_URL: 'postgres://owner:hunter2@db.example/eaas',
    EAAS_ROOT_KEY_COMMAND: path,
    EAAS_ROOT_KEY_PREVIOUS_COMMAND: await program(
      `printf %s ${text.slice(0, 20)}; sleep 0.1; echo ${text.slice(20)}`,
    ),
  });
  expect([await rootKey?.load(), await previousRootKey?.load()]).toEqual([key, key]);
  const log = await readFile(`${path}.log`, 'utf8');
  expect(log.match(/^args: .*$/gm)).toEqual(['args: ']);
  expect(log).toContain('VAULT_ADDR=https://vault.example');
  expect(log).not.toMatch(/DATABASE_URL|EAAS_|hunter2/);
});
