import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { inherited } from '@eaas/test-kit/program';
import { listening } from '@eaas/test-kit/listening';
import { whereAvailable } from '@eaas/test-kit/available';
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

test.each([
  ['encrypt a', 'a.eaas'],
  ['decrypt a.eaas', 'a'],
  ['encrypt a --out b', 'b'],
])('the command `%s` does not overwrite a file without --force', async (command, output) => {
  const place = await placeWithFile();
  await writeFile(place.at('b'), 'b');
  const before = await readFile(place.at(output));
  const listed = await place.list();
  const refused = await place.type(`eaas-files ${command}`, account.env);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(`${output} exists: add --force to overwrite it, or choose another --out.\n`);
  expect(await readFile(place.at(output))).toEqual(before);
  const forced = await place.type(`eaas-files ${command} --force`, account.env);
  expect(forced).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await place.list()).toEqual(listed);
});

test('a named pipe is refused as output, even with --force', async () => {
  const place = await placeWithFile();
  const line = 'mkfifo pipe; eaas-files decrypt a.eaas --out pipe --force';
  const { code, stdout, stderr } = await place.type(line, account.env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('pipe is not a file: pass `--out -` for standard output, or choose another --out.\n');
  expect((await stat(place.at('pipe'))).isFIFO()).toBe(true);
});

whereAvailable('the file system /proc', existsSync('/proc/self'), () => {
  test('a folder on a file system without files is refused at once', async () => {
    const place = await placeWithFile();
    const { code, stderr } = await place.type(
      'eaas-files decrypt a.eaas --out /proc/eaas/box/a',
      account.env,
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^a\.eaas: ENOENT: /) });
  }, 60_000);
});

test('if one of several output files exists, the command writes none of them', async () => {
  const place = await placeWithFile();
  await writeFile(place.at('b'), 'b');
  const { code, stderr } = await place.type('eaas-files encrypt b a', account.env);
  expect({ code, stderr }).toMatchObject({ code: 1 });
  expect(await place.list()).toEqual(['a', 'a.eaas', 'b']);
});

function altered(sealed: Buffer, at: number): Uint8Array {
  sealed.writeUInt8(sealed.readUInt8(at) ^ 1, at);
  return sealed;
}

test.each([
  ['cut short', (sealed: Buffer) => sealed.subarray(0, 150_000), 131_072],
  ['altered', (sealed: Buffer) => altered(sealed, 100_000), 65_536],
  ['altered at its end', (sealed: Buffer) => altered(sealed, sealed.length - 5), 196_608],
])(
  'a file that is %s is not decrypted, even with --force, and the error says how much is authentic',
  async (_, damage, authentic) => {
    const place = await placeWithFile();
    await writeFile(place.at('a.eaas'), damage(await readFile(place.at('a.eaas'))));
    expect(await place.type('eaas-files decrypt a.eaas --force', account.env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `a.eaas: decryption failed after ${authentic} authentic bytes: the file was cut short or altered there\n`,
    });
    expect((await readFile(place.at('a'))).equals(plaintext)).toBe(true);
    expect(await place.list()).toEqual(['a', 'a.eaas']);
  },
);

test.each([0, 100])(
  'the error about a ciphertext of which only %i bytes are left says that it was cut short',
  async (length) => {
    const place = await placeWithFile();
    await writeFile(place.at('a.eaas'), (await readFile(place.at('a.eaas'))).subarray(0, length));
    for (const command of ['decrypt a.eaas --out b', 'inspect a.eaas', 'rewrap a.eaas']) {
      const { code, stderr } = await place.type(`eaas-files ${command}`, account.env);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^a\.eaas: .* cut short/) });
    }
  },
);

test('the error for a ciphertext in base64 with line breaks says to remove the line breaks', async () => {
  const place = await placeWithFile();
  const { code, stderr } = await place.type('base64 a.eaas | eaas-files decrypt', account.env);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('contains a space or a line break: remove it'),
  });
});

test('a damaged file does not stop the decryption of the other files', async () => {
  const place = await placeWithFile();
  await mkdir(place.at('box'));
  const lines = 'cp a.eaas box/1.eaas; cp a box/2.eaas; cp a.eaas box/3.eaas; eaas-files decrypt -r box';
  const { code, stderr } = await place.type(lines, account.env);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^box\/2\.eaas: not a/) });
  expect((await place.list()).filter((name) => !name.endsWith('.eaas'))).toEqual([
    'a',
    'box',
    'box/1',
    'box/3',
  ]);
});

test.each([
  ['encrypt', 'a', '', ['d', 'd.eaas']],
  ['rewrap', 'a.eaas', '.eaas', ['d.eaas']],
])(
  'the command %s reports names that are not UTF-8 in a folder, and continues with the other files',
  async (command, file, ending, files) => {
    const place = await placeWithFile();
    const prepare = String.raw`mkdir -p box/$'c\xff'; for name in $'b\xff' d; do cp ${file} "box/$name${ending}"; done`;
    const { code, stderr } = await place.type(`${prepare}; eaas-files ${command} -r box`, account.env);
    const unreadable = (name: string): string =>
      `box/${name} cannot be read (its name is not UTF-8, so rename it).\n`;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: unreadable(`b\uFFFD${ending}`) + unreadable('c\uFFFD'),
    });
    expect((await readdir(place.at('box'))).filter((name) => name.startsWith('d'))).toEqual(files);
  },
);

whereAvailable('an account other than root', process.getuid?.() !== 0, () => {
  test('encrypt reports a folder that cannot be read, and continues with the other files', async () => {
    const place = await placeWithFile();
    const lines = 'mkdir -p box/locked && cp a box/b && chmod 0 box/locked; eaas-files encrypt -r box';
    expect(await place.type(lines, account.env)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'box/locked cannot be read (EACCES): check its path and its permissions.\n',
    });
    expect(await readdir(place.at('box'))).toContain('b.eaas');
  });
});

test('decrypt refuses a file whose key is not EAAS_KEY_ID, unless --any-key or --key allows its key', async () => {
  const place = await placeWithFile();
  const { key_id: other } = await account.tenant.newKey();
  const env = { ...account.env, EAAS_KEY_ID: other };
  const line = 'eaas-files decrypt a.eaas --out b';
  expect(await place.type(line, env)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      `a.eaas: the file is under the key ${account.keyId}, but only ${other} is accepted: if this is the ` +
      `right file, pass --key ${account.keyId}\n`,
  });
  expect(await place.list()).toEqual(['a', 'a.eaas']);
  for (const option of ['--any-key', `--key ${other} --key ${account.keyId}`]) {
    expect(await place.type(`${line} ${option} --force && cmp a b`, env)).toMatchObject({ code: 0 });
  }
});

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
  ])
    expect(await place.type(`eaas-files ${command}`, account.env)).toMatchObject({ code: 0, stderr });
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

test('a command fails if its output cannot be written', async () => {
  const place = await placeWithFile();
  const { code, stderr } = await place.type('eaas-files inspect a.eaas --json > /dev/full', account.env);
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: expect.stringMatching(/^Standard output cannot be written: ENOSPC/),
  });
});

test('the message about a path escapes its control characters', async () => {
  const place = await placeWithFile();
  const { code, stderr } = await place.type(String.raw`eaas-files decrypt $'a\e\u009b31m\x7f'`, account.env);
  expect(code).not.toBe(0);
  expect(stderr).toContain(String.raw`"a\u001b\u009b31m\u007f"`);
});

test('a reader that closes the pipe early ends the command silently', async () => {
  const place = await placeWithFile();
  const line =
    'set +o pipefail; eaas-files decrypt a.eaas --out - | head --bytes 5 | cmp - <(head --bytes 5 a)';
  expect(await place.type(line, account.env)).toEqual({ code: 0, stdout: '', stderr: '' });
});
