import { describe, expect, test } from 'vitest';
import { bring, newDek, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { intakeWriter } from '@eaas/test-kit/intake-writer';
import { aReceipt } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const writer = await intakeWriter(tenant);

const unwrap = (body: object, keyId = writer.keyId) => tenant.api.post(`/v1/keys/${keyId}/unwrap`, body);

const spliced = (wrapped: string, at: number, bytes: Buffer): string => {
  const all = Buffer.from(wrapped, 'base64');
  bytes.copy(all, at);
  return all.toString('base64');
};

test('unwrap returns a DEK that an independent HPKE library wrapped, and its entry has `intake: true`', async () => {
  const [dek, context] = [newDek(), { tenant: 'clinic' }];
  const wrapped_key = await writer.wrap({ dek, context });
  const before = await tenant.auditTotal();
  const answer = await unwrap({ wrapped_key, context, key_version: 1 });
  expect(answer.body).toStrictEqual({ dek, key_id: writer.keyId, key_version: 1 });
  expect(await tenant.auditTotal()).toBe(before + 1);
  const { action, key_id, metadata } = await newestEntry(tenant);
  expect({ action, key_id, metadata }).toStrictEqual({
    action: 'key.unwrap',
    key_id: writer.keyId,
    metadata: { context, intake: true, key_version: 1 },
  });
});

test('a key without intake refuses what a writer made, and records it', async () => {
  const open = await newTenant();
  const plain = await intakeWriter(open, {});
  const { keyId } = plain;
  const [wrapped_key, ciphertext] = [await plain.wrap(), await plain.encrypt('x')];
  for (const [path, body, code, version] of [
    [`/v1/keys/${keyId}/unwrap`, { wrapped_key }, 'wrapped_key_unauthentic', { key_version: 1 }],
    [`/v1/keys/${keyId}/rewrap`, { wrapped_key }, 'wrapped_key_unauthentic', { from_version: 1 }],
    ['/v1/decrypt', { key_id: keyId, key_version: 1, ciphertext }, 'decryption_failed', {}],
  ] as const) {
    expect(await open.api.post(path, body)).toBeProblem(code);
    const { metadata } = await newestEntry(open);
    expect(metadata).toStrictEqual({ code, intake: true, outcome: 'refused', ...version });
  }
});

test('unwrap refuses a wrapped key that was wrapped for another context, key or key version', async () => {
  const other = await intakeWriter(tenant);
  const wrapped_key = await writer.wrap({ context: { a: 'b' } });
  expect(await unwrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
  expect(await unwrap({ wrapped_key, context: { a: 'c' } })).toBeProblem('wrapped_key_unauthentic');
  const own = await writer.wrap();
  expect(await unwrap({ wrapped_key: own }, other.keyId)).toBeProblem('wrapped_key_unauthentic');
  expect(await unwrap({ wrapped_key: own, key_version: 2 })).toBeProblem('wrapped_key_unauthentic');
  expect(ok(await unwrap({ wrapped_key: own })).key_version).toBe(1);
});

test.for([
  ['an X25519 point of zeros', 1_094, Buffer.alloc(32)],
  ['an X25519 point of order 1', 1_094, Buffer.alloc(32).fill(1, 0, 1)],
  ['ML-KEM bytes of ones', 6, Buffer.alloc(1_088, 0xff)],
  ['version 0', 2, Buffer.alloc(4)],
  ['version 2, which does not exist', 2, Buffer.of(0, 0, 0, 2)],
  ['version 2^32 - 1', 2, Buffer.alloc(4, 0xff)],
  ['another suite', 0, Buffer.of(2, 2)],
  ['the suite of ordinary wrapped keys', 0, Buffer.of(1, 1)],
] as const)('%s is refused', async ([, at, bytes]) => {
  const wrapped_key = spliced(await writer.wrap(), at, bytes);
  expect(await unwrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
});

test.for([6, 78, 1_126, 1_173, 1_175, 2_048])('a length of %i bytes is refused', async (length) => {
  const whole = Buffer.from(await writer.wrap(), 'base64');
  const wrapped_key = Buffer.concat([whole, whole]).subarray(0, length).toString('base64');
  expect(await unwrap({ wrapped_key })).toBeProblem('wrapped_key_unauthentic');
});

describe('the states of a key', () => {
  test('version 1 of a key unwraps after three rotations and while the key is disabled, but not after DELETE', async () => {
    const own = await intakeWriter(tenant);
    const dek = newDek();
    const wrapped_key = await own.wrap({ dek });
    for (let nth = 0; nth < 3; nth++) ok(await tenant.api.post(`/v1/keys/${own.keyId}/rotate`));
    const answer = { dek, key_id: own.keyId, key_version: 1 };
    expect((await unwrap({ wrapped_key }, own.keyId)).body).toStrictEqual(answer);
    await bring(tenant.api, own.keyId, 'disabled');
    expect((await unwrap({ wrapped_key }, own.keyId)).body).toStrictEqual(answer);
    ok(await tenant.api.delete(`/v1/keys/${own.keyId}?grace_days=30`));
    expect(await unwrap({ wrapped_key }, own.keyId)).toBeProblem('key_state');
    expect((await newestEntry(tenant)).metadata).toMatchObject({ intake: true, code: 'key_state' });
    ok(await tenant.api.post(`/v1/keys/${own.keyId}/restore`));
    ok(await tenant.api.delete(`/v1/keys/${own.keyId}?grace_days=0`));
    expect(await unwrap({ wrapped_key }, own.keyId)).toBeProblem('key_state');
  });

  test('each version of a key has a different public key', async () => {
    const own = await intakeWriter(tenant);
    ok(await tenant.api.post(`/v1/keys/${own.keyId}/rotate`));
    const dek = newDek();
    const wrapped_key = await own.wrap({ dek, version: 2 });
    expect(ok(await unwrap({ wrapped_key }, own.keyId))).toMatchObject({ dek, key_version: 2 });
    const moved = spliced(wrapped_key, 2, Buffer.of(0, 0, 0, 1));
    expect(await unwrap({ wrapped_key: moved }, own.keyId)).toBeProblem('wrapped_key_unauthentic');
  });
});

describe('POST /v1/batch/unwrap', () => {
  const batch = (items: readonly object[]) => tenant.api.post('/v1/batch/unwrap', { items });

  test('a batch unwraps keys of the service and of writers, and only entries about writers have `intake`', async () => {
    const deks = [newDek(), newDek(), newDek()];
    const key_id = writer.keyId;
    const ordinary = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: deks[1] }));
    const items = [
      { key_id, wrapped_key: await writer.wrap({ dek: deks[0] ?? '' }) },
      { key_id, wrapped_key: ordinary.wrapped_key },
      { key_id: key_id.toUpperCase(), wrapped_key: await writer.wrap({ dek: deks[2] ?? '' }) },
    ];
    const { results } = ok(await batch(items));
    expect(results).toStrictEqual(deks.map((dek) => ({ dek, key_id, key_version: 1, entry: aReceipt })));
    const entries = await tenant.entries('limit=3');
    expect(entries.map(({ metadata }) => metadata['intake'])).toStrictEqual([true, undefined, true]);
  });
});
