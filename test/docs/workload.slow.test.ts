// Types the commands of sign-in.md for a workload, and signs in with a token as a platform projects it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { closing } from '@eaas/test-kit/closing';
import { commandLine } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { commandsOf, read } from '@eaas/test-kit/markdown';
import { serve } from '@eaas/test-kit/program';
import { newSignIn } from '@eaas/test-kit/sign-in';
import { expect, test } from 'vitest';

test('a workload encrypts and decrypts with the token of its platform, and another one is refused', async () => {
  const [eaas, folder] = await Promise.all([commandLine(), newDirectory()]);
  const { baseUrl } = await closing(serve(eaas.env), (it) => it.stop());
  await eaas.json('tenant', 'create', '--name', 'acme');
  const [key] = await eaas.json<{ key_id: string }>('key', 'create', '--tenant', 'acme', '--name', 'shop');
  const keyId = key?.key_id ?? '';

  const platform = newSignIn('RS256');
  const keys = join(folder, 'keys.json');
  await writeFile(keys, JSON.stringify({ keys: [platform.jwk] }));
  const page = read('packages/sdk/docs/sign-in.md');
  const command = commandsOf(page).find((line) => line.includes('--kind workload')) ?? '';
  const words = command.replace('"$EAAS_KEY_ID"', keyId).replace('keys.json', keys).split(/\s+/).slice(3);
  const [made] = await eaas.json<{ issuer_id: string }>(...words);
  const issuer = made?.issuer_id;

  const file = join(folder, 'token');
  const token = () => readFile(file, 'utf8');
  const project = (account: string) => {
    const claims = { iss: 'https://kubernetes.default.svc', aud: ['https://eaas.example'], sub: account };
    return writeFile(file, platform.token(account, claims));
  };
  await project('system:serviceaccount:shop:api');
  const shop = new EaasClient({ baseUrl, issuer, token, subject: null, keyId });
  const { ciphertext } = await shop.encrypt('an order');
  expect(await shop.decrypt(ciphertext, { as: 'text' })).toBe('an order');

  await project('system:serviceaccount:shop:web');
  const web = new EaasClient({ baseUrl, issuer, token, subject: null, keyId });
  await expect(web.decrypt(ciphertext)).rejects.toMatchObject({ code: 'permission_missing' });
});
