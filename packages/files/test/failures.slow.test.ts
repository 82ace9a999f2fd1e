import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { inherited } from '@eaas/test-kit/program';
import { listening } from '@eaas/test-kit/listening';
import { eaasFiles, newAccount, newPlace, type Place } from './command-line.ts';

const account = await newAccount();

const plaintext = randomBytes(200_000);

async function placeWithFile(): Promise<Place> {
  const place = await newPlace();
  await writeFile(place.at('a'), plaintext);
  const { code } = await place.type('eaas-files encrypt a', account.env);
  if (code !== 0) throw new Error('the command that prepares the encrypted file failed');
  return place;
}

/** Starts a command whose input stays open, so that its temporary file waits for more. Returns the name of that file. */
async function halfWritten(place: Place, command: string, ...options: readonly string[]) {
  const [program = '', ...args] = [...eaasFiles(), command, ...options];
  const env = { ...inherited(), ...account.env };
  const child = spawn(program, args, { cwd: place.path, env, stdio: 'pipe' });
  const ended = once(child, 'close');
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => printed.push(String(text)));
  child.stdin.on('error', () => {});
  child.stdin.write(command === 'encrypt' ? plaintext : await readFile(place.at('a.eaas')));
  let part = '';
  const hasBytes = async (): Promise<boolean> => {
    part = (await place.list()).find((name) => name.endsWith('.part')) ?? '';
    return part !== '' && (await stat(place.at(part))).size > 65_000;
  };
  await expect.poll(hasBytes).toBe(true);
  return { child, ended, printed, part };
}

test.each(['encrypt', 'decrypt'])(
  'SIGINT ends the command %s with the exit code 130 and leaves no output file',
  async (command) => {
    const place = await placeWithFile();
    const listed = await place.list();
    const { child, ended, printed } = await halfWritten(place, command, '--out', 'b');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(printed).toEqual([]);
    expect(await place.list()).toEqual(listed);
  },
);

test('the next command in the folder names the temporary file of a command that was killed', async () => {
  const place = await placeWithFile();
  await mkdir(place.at('box'));
  const { child, ended, part } = await halfWritten(place, 'decrypt', '--out', 'box/b');
  const line = 'eaas-files encrypt a --out box/c --force';
  expect(await place.type(line, account.env)).toEqual({ code: 0, stdout: '', stderr: '' });
  child.kill('SIGKILL');
  await ended;
  const { mtime } = await stat(place.at(part));
  const written = mtime.toISOString().slice(0, 19);
  const stderr =
    `${part} was left by a command that was killed (last written ${written}Z). It can contain plaintext: ` +
    `remove it, unless another eaas-files is still writing it.\n`;
  for (const command of [
    'encrypt a --out box/c --force',
    'rewrap box/c',
    'decrypt -r box --out d',
    'inspect -r box',
  ]) {
    expect(await place.type(`eaas-files ${command}`, account.env)).toMatchObject({ code: 0, stderr });
  }
  // The temporary file is no input, and stays until its owner removes it.
  expect((await place.list()).filter((name) => name.includes('.part'))).toEqual([part]);
});

test('the message about an unexpected failure of the service names the request', async () => {
  const server = createServer((_, response) => {
    response.writeHead(500, { 'content-type': 'application/problem+json', 'x-request-id': 'r-1' });
    response.end(JSON.stringify({ status: 500, code: 'internal', detail: 'It failed.' }));
  });
  const place = await placeWithFile();
  const env = { ...account.env, EAAS_BASE_URL: `http://127.0.0.1:${await listening(server)}` };
  const { code, stderr } = await place.type('eaas-files encrypt a --out b', env);
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'It failed. (X-Request-Id: r-1)\n' });
});
