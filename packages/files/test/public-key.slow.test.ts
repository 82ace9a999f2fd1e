import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { EaasClient } from '@eaas/sdk';
import { newAccount, newPlace } from './command-line.ts';

const done = { code: 0, stdout: '', stderr: '' };
const plaintext = randomBytes(200_000);

const account = await newAccount();
const { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey } = account.env;
await using client = new EaasClient({ baseUrl, apiKey });
const keyId = (await account.tenant.newKey({ intake: true })).key_id;
const publicKey = (await client.publicKey(keyId)).intake_public_key ?? '';

test('a file is encrypted without the service, and decrypted with an API key', async () => {
  const place = await newPlace();
  await writeFile(place.at('a'), plaintext);
  await writeFile(place.at('forms.pub'), `${publicKey}\n`);
  const encrypt = 'eaas-files encrypt a --public-key forms.pub --context form=7';
  expect(await place.type(encrypt, {})).toEqual(done);
  expect((await readFile(place.at('a.eaas'))).includes(plaintext.subarray(0, 32))).toBe(false);
  const decrypt = `eaas-files decrypt a.eaas --key ${keyId} --context form=7 --out copy && cmp a copy`;
  expect(await place.type(decrypt, account.env)).toEqual(done);
  const rewrap = 'eaas-files rewrap a.eaas > /dev/null && rm copy';
  const before = (await readFile(place.at('a.eaas'))).length;
  expect(await place.type(`${rewrap} && ${decrypt}`, account.env)).toEqual(done);
  expect(before - (await readFile(place.at('a.eaas'))).length).toBe(1_096);
});

test('--public-key accepts the public key itself instead of a file', async () => {
  const place = await newPlace();
  await writeFile(place.at('a'), plaintext);
  const line = `cat a | eaas-files encrypt --public-key ${publicKey} > a.eaas`;
  expect(await place.type(line, {})).toEqual(done);
  expect(await place.type(`eaas-files decrypt --key ${keyId} < a.eaas | cmp - a`, account.env)).toEqual(done);
});

test.each([
  ['--public-key none.pub', 3, /none\.pub cannot be read/],
  ['--public-key forms.pub --key 00000000-0000-4000-8000-000000000001', 2, /not both/],
])('encrypt with %s fails before it writes a file', async (options, code, message) => {
  const place = await newPlace();
  await writeFile(place.at('a'), plaintext);
  const failed = await place.type(`eaas-files encrypt a ${options}`, {});
  expect({ code: failed.code, stderr: failed.stderr }).toEqual({
    code,
    stderr: expect.stringMatching(message),
  });
  expect(await place.list()).toEqual(['a']);
});
