import { describe, expect, test } from 'vitest';
import { takeApart } from '@eaas/test-kit/decoder';
import { newestEntry, newTenant, ok, unknownId } from '@eaas/test-kit/fixture';
import { aBase64, auditEntry } from './shapes.ts';

const tenant = await newTenant();
const key = await tenant.newKey();

const encrypt = (plaintext: unknown, fields: object = {}) =>
  tenant.api.post('/v1/encrypt', { plaintext, key_id: key.key_id, ...fields });

test('encrypt returns only the five fields of the bundle', async () => {
  const answer = await encrypt('Grüße, 世界 🌍');
  expect(answer).toHaveStatus(200);
  expect(answer.body).toStrictEqual({
    ciphertext: aBase64,
    wrapped_key: aBase64,
    iv: aBase64,
    key_id: key.key_id,
    key_version: 1,
  });
  expect(answer.text).not.toContain('Grüße');
});

test('a text that /v1/encrypt encrypted decrypts to the same text', async () => {
  const texts = ['', ' ', '\u0000', 'a\u0000b', '\uFEFFmarked', '\u0085\u007F\n\r\t', '🌍', 'e\u0301', '"\\'];
  for (const plaintext of texts) {
    const { ciphertext, key_id, key_version } = ok(await encrypt(plaintext));
    const answer = await tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version });
    expect(answer.body).toStrictEqual({ plaintext });
  }
});

test('encrypt uses only the current version of the key', async () => {
  const rotating = await tenant.newKey();
  const body = { plaintext: 'x', key_id: rotating.key_id };
  const before = ok(await tenant.api.post('/v1/encrypt', body));
  ok(await tenant.api.post(`/v1/keys/${rotating.key_id}/rotate`));
  const after = ok(await tenant.api.post('/v1/encrypt', body));
  expect([before.key_version, after.key_version]).toStrictEqual([1, 2]);
  for (const { ciphertext, key_id, key_version } of [before, after]) {
    const opened = await tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version });
    expect(opened.body).toStrictEqual({ plaintext: 'x' });
  }
});

test('the audit entry of encrypt has the key, its version and the actor', async () => {
  await encrypt('a secret that must not be logged', { context: { purpose: 'invoice 4711' } });
  const entry = await newestEntry(tenant);
  expect(entry).toStrictEqual(
    auditEntry({
      action: 'encrypt',
      key_id: key.key_id,
      actor: tenant.apiKeyId,
      tenant_id: tenant.tenant_id,
    }),
  );
  expect(JSON.stringify(entry.metadata)).toContain('invoice 4711');
  expect(JSON.stringify(entry)).not.toContain('a secret that');
});

describe('plaintext', () => {
  test.for([
    ['ASCII', 'a'.repeat(65_536), 'a'.repeat(65_537)],
    ['two bytes per character', 'é'.repeat(32_768), `${'é'.repeat(32_768)}a`],
    ['NUL, which is six characters in JSON', '\u0000'.repeat(65_536), '\u0000'.repeat(65_537)],
    ['four bytes per character', '🌍'.repeat(16_384), `${'🌍'.repeat(16_384)}a`],
  ] as const)('plaintext has at most 65,536 bytes of UTF-8: %s', async ([, most, more]) => {
    const bundle = ok(await encrypt(most));
    const { ciphertext, key_id, key_version } = bundle;
    const opened = ok(await tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version }));
    expect(opened.plaintext === most).toBe(true);
    expect(await encrypt(more)).toBeProblem('bad_request', /plaintext/);
  });
});

test('a key whose name is a UUID is not found by this name', async () => {
  const name = unknownId();
  await tenant.newKey({ name });
  expect(await encrypt('x', { key_id: name })).toBeProblem('not_found');
  expect(await tenant.api.get(`/v1/keys/${name}`)).toBeProblem('not_found');
});

test('decrypt fails if its context differs from the context of encrypt', async () => {
  const context = { b: '2', a: '1', ключ: 'значение' };
  const { ciphertext, key_id, key_version } = ok(await encrypt('x', { context }));
  const decrypt = (other?: object) =>
    tenant.api.post('/v1/decrypt', { ciphertext, key_id, key_version, ...(other && { context: other }) });
  expect((await decrypt({ ключ: 'значение', a: '1', b: '2' })).body).toStrictEqual({ plaintext: 'x' });
  for (const other of [undefined, {}, { a: '1' }, { ...context, c: '3' }, { ...context, a: '2' }]) {
    expect(await decrypt(other)).toBeProblem('decryption_failed');
  }
  const plain = ok(await encrypt('y', { context: {} }));
  const opened = await tenant.api.post('/v1/decrypt', {
    ciphertext: plain.ciphertext,
    key_id,
    key_version,
  });
  expect(opened.body).toStrictEqual({ plaintext: 'y' });
});

test('a context has at most 4,096 encoded bytes and 128 bytes per name', async () => {
  const overhead = 4 + 4 + 128 + 4; // the count, and a length before the name and before the value
  const context = { ['n'.repeat(128)]: 'v'.repeat(4_096 - overhead) };
  expect(await encrypt('x', { context })).toHaveStatus(200);
  expect(
    await encrypt('x', { context: { ...context, ['n'.repeat(128)]: 'v'.repeat(4_097 - overhead) } }),
  ).toBeProblem('bad_request');
});

test('twenty encryptions of a text have different ivs, data keys and ciphertexts', async () => {
  const bundles = await Promise.all(Array.from({ length: 20 }, async () => ok(await encrypt('the same'))));
  for (const part of ['iv', 'wrapped_key', 'ciphertext'] as const) {
    expect(new Set(bundles.map((bundle) => bundle[part])).size).toBe(20);
  }
  const commitments = bundles.map(({ ciphertext }) => takeApart(ciphertext).commitment.toString('hex'));
  expect(new Set(commitments).size).toBe(20);
});
