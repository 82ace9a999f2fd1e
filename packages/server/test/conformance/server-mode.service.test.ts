import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { takeApart } from '@eaas/test-kit/decoder';
import { newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { openedBy, sealedUnder } from './other-client.ts';
import { aBase64 } from './shapes.ts';

const tenant = await newTenant();
const { key_id } = await tenant.newKey();
const actor = tenant.apiKeyId;

const encrypt = (plaintext: unknown, fields: object = {}) =>
  tenant.api.post('/v1/encrypt', { plaintext, key_id, ...fields });
const encrypted = async (plaintext: string, fields?: object) => ok(await encrypt(plaintext, fields));

const decrypt = (body: object) => tenant.api.post('/v1/decrypt', { key_id, key_version: 1, ...body });
const decrypted = async (body: object) => ok(await decrypt(body)).plaintext;

describe('encrypt', () => {
  test('encrypt returns only the five fields of the bundle, which are copies of parts of its envelope', async () => {
    const context = { purpose: 'invoice 4711' };
    const answer = await encrypt('Grüße, 世界 🌍', { context });
    expect(answer).toHaveStatus(200);
    const { ciphertext, wrapped_key, iv, ...key } = answer.body;
    expect([ciphertext, wrapped_key, iv]).toEqual([aBase64, aBase64, aBase64]);
    expect(key).toStrictEqual({ key_id, key_version: 1 });
    expect(answer.text).not.toContain('Grüße');
    expect(ciphertext).toMatch(/^eaas/);
    const parts = takeApart(ciphertext);
    const copies = { keyId: key_id, keyVersion: 1, wrappedKey: wrapped_key, iv };
    expect(parts).toMatchObject({ magic: '79a6ac', version: 1, ...copies });
    expect(Buffer.from(iv, 'base64')).toHaveLength(12);
    expect(parts.body).toHaveLength(Buffer.from('Grüße, 世界 🌍').length + 16);
    const entry = await newestEntry(tenant);
    expect(entry).toMatchObject({ action: 'encrypt', key_id, key_version: 1, actor, metadata: { context } });
    expect(JSON.stringify(entry)).not.toContain('Grüße');
  });

  test.for([
    ['two bytes per character', 'é'.repeat(32_768)],
    ['NUL, which is six characters in JSON', '\u0000'.repeat(65_536)],
  ] as const)('plaintext has at most 65,536 bytes of UTF-8: %s', async ([, most]) => {
    const bundle = await encrypted(most);
    expect((await decrypted(bundle)) === most).toBe(true);
    expect(await encrypt(`${most}a`)).toBeProblem('bad_request', /plaintext/);
  });

  test('encrypt uses only the current version of the key', async () => {
    const rotating = await tenant.newKey();
    const old = await encrypted('x', { key_id: rotating.key_id });
    ok(await tenant.api.post(`/v1/keys/${rotating.key_id}/rotate`));
    const bundles = [old, await encrypted('x', { key_id: rotating.key_id })];
    expect(bundles.map(({ key_version }) => key_version)).toStrictEqual([1, 2]);
    for (const bundle of bundles) expect(await decrypted(bundle)).toBe('x');
  });
});

describe('decrypt', async () => {
  const bundle = await encrypted('the plaintext');
  const { ciphertext, wrapped_key, iv } = bundle;

  function altered(offset: number, mask = 1): string {
    const bytes = Buffer.from(ciphertext, 'base64');
    const at = offset < 0 ? bytes.length + offset : offset;
    bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at);
    return bytes.toString('base64');
  }

  test('decrypt needs only ciphertext, key_id and key_version, and accepts the whole bundle', async () => {
    for (const body of [{ ciphertext }, bundle, { ciphertext, wrapped_key }, { ciphertext, iv }]) {
      expect(ok(await decrypt(body))).toStrictEqual({ plaintext: 'the plaintext' });
    }
    expect(await newestEntry(tenant)).toMatchObject({ action: 'decrypt', key_id, key_version: 1, actor });
  });

  test('decrypt fails if its context differs from the context of encrypt', async () => {
    const context = { b: '2', a: '1', ключ: 'значение' };
    const bound = (await encrypted('x', { context })).ciphertext;
    const same = { ключ: 'значение', a: '1', b: '2' };
    expect(await decrypted({ ciphertext: bound, context: same })).toBe('x');
    for (const other of [undefined, {}, { a: '1' }, { ...context, c: '3' }, { ...context, a: '2' }]) {
      expect(await decrypt({ ciphertext: bound, context: other })).toBeProblem('decryption_failed');
    }
    const plain = (await encrypted('y', { context: {} })).ciphertext;
    expect(await decrypted({ ciphertext: plain })).toBe('y');
  });

  /** The data key of the ciphertext, wrapped anew. */
  async function rewrapped(of: string, context?: object) {
    const { dek } = ok(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }));
    const again = ok(await tenant.api.post(`/v1/keys/${of}/wrap`, { dek, context }));
    return { key_id: of, wrapped_key: again.wrapped_key };
  }

  const failures: [string, () => object | Promise<object>][] = [
    ['version 0', () => ({ ciphertext: altered(3) })],
    ['an envelope that names another key', () => ({ ciphertext: altered(4) })],
    ['an altered embedded wrapped_key', () => ({ ciphertext: altered(40) })],
    ['an altered commitment', () => ({ ciphertext: altered(26 + 78 + 12) })],
    ['an altered tag', () => ({ ciphertext: altered(-1, 0x80) })],
    ['another key_version', () => ({ key_version: 2 })],
    ['another iv', () => ({ iv: randomBytes(12).toString('base64') })],
    ['the wrapped_key of another', async () => ({ wrapped_key: (await encrypted('x')).wrapped_key })],
    ['version 2, that of streams', () => ({ ciphertext: altered(3, 3) })],
    ['no UTF-8', async () => ({ ciphertext: await sealedUnder(tenant.api, key_id, Buffer.of(0xc3)) })],
    ['a wrapped_key with a context', () => rewrapped(key_id, { table: 'patients' })],
    ['a wrapped_key of the other key that is named', async () => rewrapped((await tenant.newKey()).key_id)],
    ['the id of another key', async () => ({ key_id: (await tenant.newKey()).key_id })],
  ];

  test.for(failures)('decrypt returns 422 for %s', async ([, change]) => {
    const answer = await decrypt({ ciphertext, ...(await change()) });
    expect(answer).toBeProblem('decryption_failed');
    expect(answer.text).not.toContain('the plaintext');
    expect(answer.body).toStrictEqual((await decrypt({ ciphertext: 'AAAA' })).body);
  });

  test('a failed decryption is recorded with the outcome `refused` and its code', async () => {
    expect(await decrypt({ ciphertext: altered(-1) })).toBeProblem('decryption_failed');
    const metadata = { outcome: 'refused', code: 'decryption_failed' };
    expect(await newestEntry(tenant)).toMatchObject({ action: 'decrypt', key_id, actor, metadata });
    expect(await decrypt({ ciphertext, key_version: 2 ** 32 })).toBeProblem('decryption_failed');
    expect((await newestEntry(tenant)).key_version).toBeOneOf([null, 1]);
  });

  test('after rewrap, the new wrapped key and key_version decrypt the old ciphertext', async () => {
    const own = (await tenant.newKey()).key_id;
    const old = await encrypted('moved on', { key_id: own });
    ok(await tenant.api.post(`/v1/keys/${own}/rotate`));
    const rewrapped = ok(
      await tenant.api.post(`/v1/keys/${own}/rewrap`, { wrapped_key: old.wrapped_key }),
    ).wrapped_key;
    const stored = { ciphertext: old.ciphertext, key_id: own };
    expect(await decrypted({ ...old, wrapped_key: rewrapped, key_version: 2 })).toBe('moved on');
    expect(await decrypt({ ...old, wrapped_key: rewrapped })).toBeProblem('decryption_failed');
    expect(await decrypt({ ...stored, key_version: 2 })).toBeProblem('decryption_failed');
    expect(await decrypted(stored)).toBe('moved on');
    expect(await newestEntry(tenant)).toMatchObject({ action: 'decrypt', key_id: own, key_version: 1 });
  });
});

describe('other clients', () => {
  test('/v1/decrypt decrypts what a client encrypted, of more than 64 KiB', async () => {
    const context = { table: 'patients' };
    const ciphertext = await sealedUnder(tenant.api, key_id, Buffer.alloc(100_000, 'a'), context);
    expect(await decrypted({ ciphertext, context })).toBe('a'.repeat(100_000));
    expect(await decrypt({ ciphertext })).toBeProblem('decryption_failed');
  });
});

describe('an envelope-only tenant', () => {
  test.for(['/v1/encrypt', '/v1/decrypt'] as const)(
    '%s returns 403 with E_ENVELOPE_ONLY, and the receipt of its entry, and does not count as usage',
    async (path) => {
      const closed = await newTenant('--envelope-only', 'true');
      const before = await closed.auditTotal();
      const answer = await closed.api.post(path, {});
      expect(answer).toBeProblem('envelope_only', /^E_ENVELOPE_ONLY:/);
      expect(await closed.auditTotal()).toBe(before + 1);
      const { id, hash, ...entry } = await newestEntry(closed);
      const none = { key_id: null, key_version: null };
      const refused = { action: 'envelope_only.refused', actor: closed.apiKeyId, ...none };
      expect(entry).toMatchObject(refused);
      expect(answer.headers.get('eaas-entry')).toBe(`${id} ${hash}`);
      const { operations } = ok(await closed.api.get('/v1/usage'));
      expect(operations).toStrictEqual({ encrypt: 0, decrypt: 0, 'key.wrap': 0, 'key.unwrap': 0 });
    },
  );

  test('is set by the operator, which the next request sees, and can read what server mode encrypted', async () => {
    const moving = await newTenant();
    const own = (await moving.newKey()).key_id;
    const stored = ok(await moving.api.post('/v1/encrypt', { plaintext: 'kept', key_id: own }));
    expect(await moving.set('--envelope-only', 'true')).toMatchObject({ envelope_only: true });
    expect(await moving.api.post('/v1/decrypt', stored)).toBeProblem('envelope_only');
    expect(await openedBy(moving.api, stored.ciphertext)).toBe('kept');
    const ciphertext = await sealedUnder(moving.api, own, Buffer.from('new'));
    await moving.set('--envelope-only', 'false');
    const back = await moving.api.post('/v1/decrypt', { ciphertext, key_id: own, key_version: 1 });
    expect(back.body).toStrictEqual({ plaintext: 'new' });
    const change = { key_id: null, key_version: null, actor: 'operator', ip_address: null };
    expect(await moving.entries('action=tenant.update')).toMatchObject([change, change]);
  });
});
