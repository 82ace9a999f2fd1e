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
