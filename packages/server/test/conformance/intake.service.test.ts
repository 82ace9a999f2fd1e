import { describe, expect, test } from 'vitest';
import { bring, newDek, newestEntry, newTenant, ok, unknownId } from '@eaas/test-kit/fixture';
import { intakeWriter } from '@eaas/test-kit/intake-writer';
import { aReceipt } from './shapes.ts';

const tenant = await newTenant();
const writer = await intakeWriter(tenant);

const post = (verb: 'unwrap' | 'rewrap' | 'rotate', body: object, keyId = writer.keyId) =>
  tenant.api.post(`/v1/keys/${keyId}/${verb}`, body);
const unwrap = async (body: object, keyId = writer.keyId) =>
  ok(await tenant.api.post(`/v1/keys/${keyId}/unwrap`, body));
const rewrap = async (body: object, keyId = writer.keyId) =>
  ok(await tenant.api.post(`/v1/keys/${keyId}/rewrap`, body));
const show = (keyId: string) => tenant.api.get(`/v1/keys/${keyId}/public-key`);
const metadata = async () => (await newestEntry(tenant)).metadata;

describe('GET /v1/keys/:key_id/public-key', () => {
  test('returns only the public key of the newest version, which can be computed from the exported key', async () => {
    const own = await intakeWriter(tenant);
    for (const key_version of [1, 2]) {
      const intake_public_key = await own.publicKey(key_version);
      expect(ok(await show(own.keyId))).toMatchObject({ key_id: own.keyId, key_version, intake_public_key });
      ok(await post('rotate', {}, own.keyId));
    }
  });

  test('can be cached by clients, but not by shared caches', async () => {
    const answer = await show(writer.keyId);
    expect(answer.headers.get('cache-control')).toBe('private, max-age=300');
    expect((await show(unknownId())).headers.get('cache-control')).toBe('no-store');
  });

  test('returns null for a key without intake', async () => {
    const { key_id } = await tenant.newKey({ intake: false });
    expect(ok(await show(key_id)).intake_public_key).toBeNull();
  });
});

describe('a wrapped key of a writer', async () => {
  const rotated = await intakeWriter(tenant);
  ok(await post('rotate', {}, rotated.keyId));

  test('that an independent HPKE library made is unwrapped, and its entry has `intake: true`', async () => {
    const [dek, context] = [newDek(), { tenant: 'clinic' }];
    const wrapped_key = await writer.wrap({ dek, context });
    const before = await tenant.auditTotal();
    const answer = await unwrap({ wrapped_key, context, key_version: 1 });
    expect(answer).toStrictEqual({ dek, key_id: writer.keyId, key_version: 1 });
    expect(await tenant.auditTotal()).toBe(before + 1);
    expect(await newestEntry(tenant)).toMatchObject({ action: 'key.unwrap', key_id: writer.keyId });
    expect(await metadata()).toStrictEqual({ context, intake: true, key_version: 1 });
  });

  test('is refused for another context, key or key version', async () => {
    const other = await intakeWriter(tenant);
    const wrapped_key = await writer.wrap({ context: { a: 'b' } });
    const own = await writer.wrap();
    for (const [body, keyId] of [
      [{ wrapped_key }],
      [{ wrapped_key, context: { a: 'c' } }],
      [{ wrapped_key: own }, other.keyId],
      [{ wrapped_key: own, key_version: 2 }],
    ] as const) {
      expect(await post('unwrap', body, keyId)).toBeProblem('wrapped_key_unauthentic');
    }
    expect((await unwrap({ wrapped_key: own })).key_version).toBe(1);
  });

  const spliced = (whole: Buffer, at: number, bytes: Uint8Array) =>
    Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + bytes.length)]);

  test.for<[string, (whole: Buffer) => Buffer]>([
    ['an X25519 point of zeros', (whole) => spliced(whole, 1_094, Buffer.alloc(32))],
    ['an X25519 point of order 1', (whole) => spliced(whole, 1_094, Buffer.alloc(32).fill(1, 0, 1))],
    ['ML-KEM bytes of ones', (whole) => spliced(whole, 6, Buffer.alloc(1_088, 0xff))],
    ['version 0', (whole) => spliced(whole, 2, Buffer.alloc(4))],
    ['version 1 instead of 2', (whole) => spliced(whole, 5, Buffer.of(1))],
    ['version 3, which does not exist', (whole) => spliced(whole, 5, Buffer.of(3))],
    ['another suite', (whole) => spliced(whole, 0, Buffer.of(2, 2))],
    ['the suite of ordinary wrapped keys', (whole) => spliced(whole, 0, Buffer.of(1, 1))],
    ['nothing after its version', (whole) => whole.subarray(0, 6)],
    ['a byte less', (whole) => whole.subarray(0, -1)],
    ['a byte more', (whole) => Buffer.concat([whole, Buffer.alloc(1)])],
  ])('with %s is refused', async ([, alter]) => {
    const whole = Buffer.from(await rotated.wrap({ version: 2 }), 'base64');
    ok(await post('unwrap', { wrapped_key: whole.toString('base64') }, rotated.keyId));
    const wrapped_key = alter(whole).toString('base64');
    expect(await post('unwrap', { wrapped_key }, rotated.keyId)).toBeProblem('wrapped_key_unauthentic');
  });

  test('is refused by a key without intake, which records it', async () => {
    const plain = await intakeWriter(tenant, {});
    const { keyId } = plain;
    const [wrapped_key, ciphertext] = [await plain.wrap(), await plain.encrypt('x')];
    for (const [path, body, code, version] of [
      [`/v1/keys/${keyId}/unwrap`, { wrapped_key }, 'wrapped_key_unauthentic', { key_version: 1 }],
      [`/v1/keys/${keyId}/rewrap`, { wrapped_key }, 'wrapped_key_unauthentic', { from_version: 1 }],
      ['/v1/decrypt', { key_id: keyId, key_version: 1, ciphertext }, 'decryption_failed', {}],
    ] as const) {
      expect(await tenant.api.post(path, body)).toBeProblem(code);
      expect(await metadata()).toStrictEqual({ code, intake: true, outcome: 'refused', ...version });
    }
  });

  test('unwraps after rotations and while the key is disabled, but not after DELETE', async () => {
    const own = await intakeWriter(tenant);
    const dek = newDek();
    const wrapped_key = await own.wrap({ dek });
    ok(await post('rotate', {}, own.keyId));
    const answer = { dek, key_id: own.keyId, key_version: 1 };
    expect(await unwrap({ wrapped_key }, own.keyId)).toStrictEqual(answer);
    await bring(tenant.api, own.keyId, 'disabled');
    expect(await unwrap({ wrapped_key }, own.keyId)).toStrictEqual(answer);
    ok(await tenant.api.delete(`/v1/keys/${own.keyId}?grace_days=30`));
    expect(await post('unwrap', { wrapped_key }, own.keyId)).toBeProblem('key_state');
    expect(await metadata()).toMatchObject({ intake: true, code: 'key_state' });
  });
});

describe('rewrap', () => {
  test('replaces the wrapped key of a writer by an ordinary one, even under the newest key version', async () => {
    const [dek, context] = [newDek(), { tenant: 'clinic' }];
    const wrapped_key = await writer.wrap({ dek, context });
    const answer = await rewrap({ wrapped_key, context });
    expect(answer).toMatchObject({ key_id: writer.keyId, key_version: 1, rewrapped: true });
    const bytes = Buffer.from(answer.wrapped_key, 'base64');
    expect(bytes).toHaveLength(78);
    expect(bytes.toString('hex', 0, 6)).toBe('010100000001');
    expect((await newestEntry(tenant)).action).toBe('key.wrap');
    expect(await metadata()).toStrictEqual({ context, from_version: 1, intake: true });

    const again = { wrapped_key: answer.wrapped_key, context };
    expect((await unwrap(again)).dek).toBe(dek);
    expect(await rewrap(again)).toMatchObject({ rewrapped: false });
    expect(await metadata()).toStrictEqual({ context, from_version: 1 });
  });
});

test('a batch takes wrapped keys of the service and of writers, and only entries about writers have `intake`', async () => {
  const deks = [newDek(), newDek(), newDek()];
  const key_id = writer.keyId;
  const ordinary = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: deks[1] }));
  const items = [
    { key_id, wrapped_key: await writer.wrap({ dek: deks[0] ?? '' }) },
    { key_id, wrapped_key: ordinary.wrapped_key },
    { key_id: key_id.toUpperCase(), wrapped_key: await writer.wrap({ dek: deks[2] ?? '' }) },
  ];
  const batch = async (verb: 'unwrap' | 'rewrap') =>
    ok(await tenant.api.post(`/v1/batch/${verb}`, { items })).results;
  expect(await batch('unwrap')).toStrictEqual(
    deks.map((dek) => ({ dek, key_id, key_version: 1, entry: aReceipt })),
  );
  const entries = await tenant.entries('limit=3');
  expect(entries.map((entry) => entry.metadata['intake'])).toStrictEqual([true, undefined, true]);
  const rewrapped = [true, false, true].map((made) => ({ rewrapped: made }));
  expect(await batch('rewrap')).toMatchObject(rewrapped);
});

describe('POST /v1/decrypt', () => {
  const decrypt = (body: object, keyId = writer.keyId) =>
    tenant.api.post('/v1/decrypt', { key_id: keyId, key_version: 1, ...body });

  test('decrypts a ciphertext of a writer, and the audit entry has `intake: true`', async () => {
    const ciphertext = await writer.encrypt('Grüße');
    expect(ok(await decrypt({ ciphertext }))).toStrictEqual({ plaintext: 'Grüße' });
    expect((await newestEntry(tenant)).action).toBe('decrypt');
    expect(await metadata()).toStrictEqual({ intake: true });
  });

  test('uses the `wrapped_key` that rewrap returned instead of the wrapped key in the ciphertext', async () => {
    const ciphertext = await writer.encrypt('kept');
    const inside = Buffer.from(ciphertext, 'base64').subarray(26, 1_200).toString('base64');
    const { wrapped_key } = await rewrap({ wrapped_key: inside });
    expect(ok(await decrypt({ ciphertext, wrapped_key }))).toStrictEqual({ plaintext: 'kept' });
    expect(await metadata()).toStrictEqual({});
  });

  test('refuses a ciphertext that a writer made for another context, key version or key', async () => {
    const ciphertext = await writer.encrypt('x');
    const other = await intakeWriter(tenant);
    expect(await decrypt({ ciphertext, context: { a: 'b' } })).toBeProblem('decryption_failed');
    expect(await decrypt({ ciphertext, key_version: 2 })).toBeProblem('decryption_failed');
    expect(await decrypt({ ciphertext }, other.keyId)).toBeProblem('decryption_failed');
  });
});
