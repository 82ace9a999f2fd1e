import { expect, test } from 'vitest';
import { openEnvelope, takeApart } from '@eaas/test-kit/decoder';
import { openedBy, sealedUnder } from './other-client.ts';
import { newTenant, ok } from '@eaas/test-kit/fixture';

const tenant = await newTenant();
const key = await tenant.newKey();

const context = { table: 'patients', имя: 'значение' };

async function encrypted(plaintext: string, fields: object = {}) {
  return ok(await tenant.api.post('/v1/encrypt', { plaintext, key_id: key.key_id, ...fields }));
}

async function dekOf(wrapped_key: string, keyId = key.key_id): Promise<string> {
  return ok(await tenant.api.post(`/v1/keys/${keyId}/unwrap`, { wrapped_key })).dek;
}

test('the fields of a bundle are copies of parts of its envelope', async () => {
  const bundle = await encrypted('seventeen bytes..');
  const parts = takeApart(bundle.ciphertext);
  expect(bundle.ciphertext).toMatch(/^eaas/);
  expect(parts).toMatchObject({
    magic: '79a6ac',
    version: 1,
    keyId: bundle.key_id,
    keyVersion: bundle.key_version,
    wrappedKey: bundle.wrapped_key,
    iv: bundle.iv,
  });
  expect(Buffer.from(bundle.iv, 'base64')).toHaveLength(12);
  expect(parts.body).toHaveLength(17 + 16);
});

test('node:crypto can decrypt a ciphertext of /v1/encrypt with the unwrapped DEK', async () => {
  const plain = await encrypted('Grüße');
  const dek = await dekOf(plain.wrapped_key);
  expect(Buffer.from(dek, 'base64')).toHaveLength(32);
  expect(openEnvelope(plain.ciphertext, dek).toString()).toBe('Grüße');
  const bound = await encrypted('Grüße', { context });
  const boundDek = await dekOf(bound.wrapped_key);
  expect(openEnvelope(bound.ciphertext, boundDek, context).toString()).toBe('Grüße');
  expect(() => openEnvelope(bound.ciphertext, boundDek)).toThrow('unable to authenticate');
  expect(() => openEnvelope(bound.ciphertext, dek, context)).toThrow('commitment');
});

test('the protocol package can decrypt a ciphertext of /v1/encrypt', async () => {
  expect(await openedBy(tenant.api, (await encrypted('x')).ciphertext)).toBe('x');
  expect(await openedBy(tenant.api, (await encrypted('y', { context })).ciphertext, context)).toBe('y');
});

test('/v1/decrypt decrypts a ciphertext that a client encrypted', async () => {
  const { ciphertext } = await sealedUnder(tenant.api, key.key_id, [Buffer.from('by the client')], context);
  const body = { ciphertext, key_id: key.key_id, key_version: 1 };
  const opened = await tenant.api.post('/v1/decrypt', { ...body, context });
  expect(opened.body).toStrictEqual({ plaintext: 'by the client' });
  expect(await tenant.api.post('/v1/decrypt', body)).toBeProblem('decryption_failed');
});

test('a tenant that becomes envelope-only can still read its server-mode ciphertexts', async () => {
  const moving = await newTenant();
  const { key_id } = await moving.newKey();
  const bundle = ok(await moving.api.post('/v1/encrypt', { plaintext: 'kept', key_id }));
  await moving.set('--envelope-only', 'true');
  const { ciphertext, key_version } = bundle;
  const refused = await moving.api.post('/v1/decrypt', { ciphertext, key_id, key_version });
  expect(refused).toBeProblem('envelope_only');
  expect(await openedBy(moving.api, ciphertext)).toBe('kept');
  const sealed = await sealedUnder(moving.api, key_id, [Buffer.from('new')]);
  await moving.set('--envelope-only', 'false');
  const back = await moving.api.post('/v1/decrypt', { ciphertext: sealed.ciphertext, key_id, key_version });
  expect(back.body).toStrictEqual({ plaintext: 'new' });
});
