import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import {
  createRootKeyFile,
  encodeRootKey,
  isOpenToOthers,
  readOrCreateRootKeyFile,
  readRootKeyFile,
} from './file.ts';

async function keyFile(content?: string): Promise<string> {
  const directory = await newDirectory();
  const path = join(directory, 'root.key');
  if (content !== undefined) await writeFile(path, content, { mode: 0o600 });
  return path;
}

const key = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);
const spelling = Buffer.from(key).toString('base64');

test('the first call creates a file with mode 0600, and later calls return its root key', async () => {
  const path = await keyFile();
  const made = await readOrCreateRootKeyFile(path, { mayCreate: true });
  expect(made).toHaveLength(32);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toBe(`${Buffer.from(made).toString('base64')}\n`);
  expect(await readOrCreateRootKeyFile(path, { mayCreate: true })).toEqual(made);
  expect(await readOrCreateRootKeyFile(path, { mayCreate: false })).toEqual(made);
});

test('a missing root key is not replaced by a new one if data exists', async () => {
  const path = await keyFile();
  await expect(readOrCreateRootKeyFile(path, { mayCreate: false })).rejects.toThrow(
    `The root key file ${path} is missing, and no other key can decrypt the existing data.`,
  );
  expect(await readdir(join(path, '..'))).toEqual([]);
});

test.each([0o620, 0o604])(
  'the error for a root key file with mode %o contains the command that corrects the mode',
  async (mode) => {
    const path = await keyFile(spelling);
    await chmod(path, mode);
    await expect(readOrCreateRootKeyFile(path, { mayCreate: true })).rejects.toThrow(
      `Run \`chmod 600 ${path}\``,
    );
  },
);

test.each([
  ['root', 0, 0o640, false],
  ['root', 0, 0o660, true],
  ['root', 0, 0o444, true],
  ['another user', 1000, 0o640, true],
])('a root key file of %s (uid %i) with mode %o is open to others: %s', (_, uid, mode, isOpen) => {
  expect(isOpenToOthers({ mode, uid })).toBe(isOpen);
});

test.each([
  ['an empty file', ''],
  ['two newlines', `${spelling}\n\n`],
])('a root key file with %s is refused without showing its content', async (_, content) => {
  const path = await keyFile(content);
  await expect(readOrCreateRootKeyFile(path, { mayCreate: true })).rejects.toThrow(
    `The root key file ${path} must contain exactly 32 bytes in base64 (44 characters) and nothing else.`,
  );
  expect(await readFile(path, 'utf8')).toBe(content);
});

test('reading a root key leaves no copy in the shared pool of Buffer', async () => {
  const path = await keyFile();
  await createRootKeyFile(path);
  const made = await readRootKeyFile(path);
  const text = encodeRootKey(made ?? key);
  const shared = new Uint8Array(Buffer.from('any').buffer);
  expect(shared.length).toBeGreaterThan(1_000);
  expect(contains(shared, made ?? key)).toBe(false);
  expect(contains(shared, text.subarray(0, 43))).toBe(false);
});

function contains(memory: Uint8Array, wanted: Uint8Array): boolean {
  return Array.from(memory.keys()).some((at) => wanted.every((byte, index) => memory[at + index] === byte));
}
