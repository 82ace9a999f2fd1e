import { createRootKeyFile, decodeRootKey, rootKeyInVariable } from '@eaas/server/internal';
import { readRootKeyFile } from '@eaas/test-kit/server';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { fakeTransit } from '@eaas/test-kit/fake-transit';
import { wipedBy } from '@eaas/test-kit/wiped-by';
import { awsKms } from './aws-kms.ts';
import { transit } from './transit.ts';
import { rootKeyInWrappedFile } from './wrapped.ts';

const key = Buffer.alloc(32, 7);
const text = key.toString('base64');
const line = `${text}\n`;

async function newPath(): Promise<string> {
  const directory = await newDirectory();
  return join(directory, 'root.key');
}

const textsWipedBy = async (work: () => unknown): Promise<string[]> =>
  (await wipedBy(work)).map((bytes) => bytes.toString('latin1'));

test('`createRootKeyFile` overwrites the base64 text, and the new root key if the file already exists', async () => {
  const path = await newPath();
  expect(await textsWipedBy(() => createRootKeyFile(path))).toEqual([await readFile(path, 'utf8')]);
  const [unused = Buffer.of(), ...texts] = await wipedBy(() => createRootKeyFile(path));
  expect(unused).toHaveLength(32);
  expect(texts.map(String)).toEqual([`${unused.toString('base64')}\n`]);
});

test('`readRootKeyFile` overwrites the text', async () => {
  const path = await newPath();
  await writeFile(path, line, { mode: 0o600 });
  expect(await textsWipedBy(() => readRootKeyFile(path))).toEqual([`${line}\0`]);
});

test.each([
  ['a character outside the base64 alphabet', `${'/'.repeat(42)}*=`, 31],
  ['nonzero unused bits', `${'/'.repeat(43)}=`, 32],
])('`decodeRootKey` overwrites the decoded bytes of a text with %s', async (_, refused, length) => {
  const wiped = await wipedBy(() => decodeRootKey(Buffer.from(refused)));
  expect(wiped).toEqual([Buffer.alloc(32).fill(0xff, 0, length)]);
});

test('the text of a root key in an environment variable is overwritten after each use', async () => {
  const read = () => rootKeyInVariable('EAAS_ROOT_KEY', text);
  expect(await textsWipedBy(read)).toEqual([text, key.toString('latin1')]);
  const provider = read();
  expect(await textsWipedBy(() => provider.load())).toEqual([text]);
});

test('the text of a root key in a request or a response of Transit is overwritten', async () => {
  const { env } = await fakeTransit();
  const ofKey = (wiped: string[]) => wiped.filter((each) => each.includes(text));
  const wrapping = await textsWipedBy(() => transit.wrap('transit/eaas-root', key, env));
  expect(ofKey(wrapping)).toEqual([line, `{"plaintext":"${text}"}`]);
  const ciphertext = `vault:v1:${Array.from(text).toReversed().join('')}`;
  const unwrapping = await textsWipedBy(() => transit.unwrap({ key: 'transit/eaas-root', ciphertext }, env));
  const response = JSON.stringify({ data: { plaintext: text } });
  expect(ofKey(unwrapping)).toEqual([response, response, text]);
});

test('a decrypted root key with the wrong length is overwritten', async () => {
  const path = await newPath();
  await writeFile(path, JSON.stringify({ provider: 'aws-kms', key: 'alias/root', ciphertext: 'AAAA' }));
  const unwrap = vi.spyOn(awsKms, 'unwrap').mockResolvedValue(Buffer.alloc(31, 7));
  onTestFinished(() => unwrap.mockRestore());
  const provider = rootKeyInWrappedFile('EAAS_ROOT_KEY_WRAPPED_FILE', path, {});
  const wiped = await wipedBy(() => expect(provider.load()).rejects.toThrow('is not a root key of 32 bytes'));
  expect(wiped).toEqual([Buffer.alloc(31, 7)]);
});
