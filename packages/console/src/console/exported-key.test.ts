import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { openOaep } from '@eaas/test-kit/rsa';
import { privateKey, publicKey } from '@eaas/test-kit/rsa-key';
import { exportKey } from './exported-key.ts';

const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const service = createTestService();
const client = new EaasClient({ service });

test('the private RSA key decrypts every exported key version, the hash key and the secrets of people', async () => {
  const { key_id } = await client.keys.create({ name: 'escrow', exportable: true });
  await client.encrypt('x', { keyId: key_id, subject: 'patient 7' });
  await client.keys.rotate(key_id);
  const exported = await exportKey({ keys: client.keys }, key_id, `\n${pem}\n`);
  const { logs } = await client.audit.page({ limit: 1 });
  const tenant_id = logs[0]?.tenant_id;
  expect(exported).toMatchObject({
    tenant_id,
    key_id,
    versions: [{ key_version: 1 }, { key_version: 2 }],
  });
  const { hash_key, subjects_key = '', subjects = [] } = exported;
  const secrets = [...exported.versions, ...subjects].map(({ encrypted }) => encrypted);
  const opened = [...secrets, hash_key, subjects_key].map(openOaep);
  expect(opened.map(({ length }) => length)).toEqual([32, 32, 32, 32, 32]);
});

test('an API key that is limited to some keys exports them without people, and no other is', async () => {
  const { key_id } = await client.keys.create({ name: 'limited', exportable: true });
  const exportWith = async (...permissions: ('keys.export' | 'keys.read')[]) => {
    const { api_key: apiKey } = await service.createApiKey({ permissions, key_ids: [key_id] });
    return exportKey(new EaasClient({ ...service, apiKey }), key_id, pem);
  };
  expect(await exportWith('keys.export')).not.toHaveProperty('subjects');
  await expect(exportWith('keys.read')).rejects.toMatchObject({ code: 'permission_missing' });
});

test.each([
  ['an empty text', ''],
  ['a private key', String(privateKey.export({ type: 'pkcs8', format: 'pem' }))],
  ['a damaged public key', pem.replace(/\n[^-]{8}/, '\n')],
  ['a part of a public key', pem.slice(0, 200)],
])('%s is refused', async (_, text) => {
  await expect(exportKey(client, 'key', text)).rejects.toMatchObject({ code: 'input' });
});
