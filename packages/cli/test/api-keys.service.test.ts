import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { commandLine, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { operate } from '@eaas/test-kit/faults/place';
import type { IssuedApiKey } from '@eaas/test-kit/fixture';
import { eaas as program, run } from '@eaas/test-kit/program';
import { apiOf } from '@eaas/test-kit/world';

const eaas = await commandLine();
await eaas.json('tenant', 'create', '--name', 'acme');
await eaas.json('tenant', 'create', '--name', 'other');

test.concurrent.each([
  ['encrpyt', 'Did you mean "encrypt"?'],
  ['everything', 'Choose from encrypt, decrypt, keys.read,'],
  ['encrypt,all', '"all" grants every permission: pass "all" without other permissions.'],
])('the error about --permissions %s names the mistake and the nearest permission', async (text, advice) => {
  const options = ['--tenant', 'acme', '--name', 'x', '--permissions', text];
  expect(await refusalOf(eaas('api-key', 'create', ...options), 2)).toContain(advice);
});

test.concurrent('api-key identify finds a token in any tenant, and revoke takes the name of the API key', async () => {
  const made = ['--tenant', 'other', '--name', 'ci job', '--permissions', 'encrypt'];
  const [apiKey] = await eaas.json<IssuedApiKey>('api-key', 'create', ...made);
  const { api_key = '', api_key_id } = apiKey ?? {};
  const identify = (input: string, ...args: string[]) =>
    run([...program, 'api-key', 'identify', ...args], eaas.env, { input });
  const { code, stdout, stderr } = await identify(`${api_key}\n`);
  expect([code, stdout]).toEqual([0, expect.stringContaining('ci job')]);
  expect(stderr).toBe(`Next: \`eaas api-key revoke ${api_key_id} --tenant other\` revokes it\n`);
  expect(stdout + stderr).not.toContain(api_key);
  const found = { tenant: 'other', api_key_id, permissions: ['encrypt'], last_used_at: null };
  expect(jsonLines((await identify(api_key, '--json')).stdout)).toMatchObject([found]);
  const unknown = formatApiKey(randomBytes(32));
  const altered = `${api_key.slice(0, -1)}${api_key.endsWith('0') ? 1 : 0}`;
  const refused = [await refusalOf(identify(unknown), 1), await refusalOf(identify(altered), 2)];
  expect(refused[0]).toMatch(/^No tenant has this API key/);
  expect(refused[1]).toMatch(/^The token must be eaas_sk_ .* with a right checksum/);
  expect(refused.join('')).not.toMatch(new RegExp(`${unknown}|${altered}`));

  await eaas.json('api-key', 'create', ...made);
  const revoke = ['api-key', 'revoke', 'ci job', '--tenant', 'other'];
  expect(await refusalOf(eaas(...revoke), 1)).toMatch(/^2 API keys have this name: pass the id of one/);
  const leaked = await identify(api_key, '--revoke');
  expect(leaked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^revoked_at +2/m) as string });
  expect(leaked.stderr).toContain(`| grep ${api_key_id}`);
  const [other] = await eaas.json<IssuedApiKey>(...revoke);
  expect(other?.api_key_id).not.toBe(api_key_id);
});

test.concurrent('api-key identify knows a use that no server has stored yet', async () => {
  const made = ['--tenant', 'other', '--name', 'leaked', '--permissions', 'keys.manage'];
  const [{ api_key = '' } = {}] = await eaas.json<Partial<IssuedApiKey>>('api-key', 'create', ...made);
  const { service, close } = await operate(eaas.database.url, eaas.env['EAAS_ROOT_KEY']);
  const key = await apiOf(service, api_key)('POST /v1/keys', { name: 'made' });
  await close();
  const { stdout } = await run([...program, 'api-key', 'identify', '--json'], eaas.env, { input: api_key });
  expect(jsonLines(stdout)).toMatchObject([{ last_used_at: key.created_at }]);
});

test('api-key expiring lists the API keys of all tenants that expire within the given days', async () => {
  for (const [name, days] of [['other', 3] as const, ['acme', 20] as const]) {
    const expiry = new Date(Date.now() + days * 24 * 60 * 60 * 1_000).toISOString();
    const options = ['--name', 'app', '--permissions', 'encrypt', '--expires-at', expiry];
    await eaas.json('api-key', 'create', '--tenant', name, ...options);
  }
  const [soon, later] = ['other', 'acme'].map((tenant) => ({ tenant, name: 'app', last_used_at: null }));
  expect(await eaas.json('api-key', 'expiring')).toMatchObject([soon]);
  expect(await eaas.json('api-key', 'expiring', '--days', '30')).toMatchObject([soon, later]);
  expect(await refusalOf(eaas('api-key', 'expiring', '--days', '9007199254740991'), 2)).toContain(
    'Pass a number of days from 0 to 36500.',
  );
});
