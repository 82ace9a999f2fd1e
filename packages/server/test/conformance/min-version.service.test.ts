import { describe, expect, test } from 'vitest';
import { intakeWriter } from '@eaas/test-kit/intake-writer';
import { expectNothingRecorded, newDek, newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { keyRecord } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'false');

const put = (keyId: string, key_version: unknown) =>
  tenant.api.put(`/v1/keys/${keyId}/min-version`, { key_version });

async function newKeyOf(versions: number) {
  const { key_id } = await tenant.newKey();
  const wrapped_key = await wrapped(tenant.api, key_id);
  const bundle = ok(await tenant.api.post('/v1/encrypt', { key_id, plaintext: 'x' }));
  for (let version = 1; version < versions; version++) ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  return { key_id, wrapped_key, bundle };
}

const refusal = { outcome: 'refused', code: 'key_state' };

test('a new key opens all its versions, and PUT sets the oldest one that opens', async () => {
  const { key_id } = await newKeyOf(3);
  expect(ok(await tenant.api.get(`/v1/keys/${key_id}`))).toMatchObject({ key_version: 3, min_version: 1 });
  let from_min_version = 1;
  for (const min_version of [2, 3, 1]) {
    const answer = await put(key_id, min_version);
    expect(answer).toHaveStatus(200);
    const set = { key_id, key_version: 3, min_version, rotated_at: expect.any(String) };
    expect(answer.body).toStrictEqual(keyRecord(set));
    expect(ok(await tenant.api.get(`/v1/keys/${key_id}`))).toMatchObject({ min_version });
    const metadata = { min_version, from_min_version };
    const about = { action: 'key.min_version', key_id, key_version: 3, actor: tenant.apiKeyId, metadata };
    expect(await newestEntry(tenant)).toMatchObject(about);
    await expectNothingRecorded(tenant, async () => {
      expect((await put(key_id, min_version)).body).toStrictEqual(answer.body);
    });
    from_min_version = min_version;
  }
});

test('a version that the key with two does not have is 400', async () => {
  const { key_id } = await newKeyOf(2);
  await expectNothingRecorded(tenant, async () => {
    for (const version of [0, 3]) {
      expect(await put(key_id, version)).toBeProblem('bad_request', /`key_version`/);
    }
  });
});

describe('a wrapped key of a closed version', () => {
  test.for(['unwrap', 'rewrap'] as const)('%s refuses it with 409, which the log has', async (verb) => {
    const { key_id, wrapped_key } = await newKeyOf(3);
    ok(await put(key_id, 2));
    const call = (body: object) => tenant.api.post(`/v1/keys/${key_id}/${verb}`, { wrapped_key, ...body });
    // It is refused for its age before anything else about it is judged.
    for (const more of [
      {},
      { context: { other: 'x' } },
      ...(verb === 'unwrap' ? [{ key_version: 3 }] : []),
    ]) {
      expect(await call(more)).toBeProblem('key_state', /version 1, .* from 2 on/);
      const action = verb === 'unwrap' ? 'key.unwrap' : 'key.wrap';
      const version = verb === 'unwrap' ? { key_version: 1 } : { from_version: 1 };
      const metadata = { ...refusal, ...version };
      expect(await newestEntry(tenant)).toMatchObject({ action, key_id, metadata });
    }
    ok(await put(key_id, 1));
    ok(await call({}));
  });

  test('decrypt refuses it with 409, from the ciphertext and beside it', async () => {
    const { key_id, bundle } = await newKeyOf(2);
    ok(await put(key_id, 2));
    const newest = ok(await tenant.api.post('/v1/encrypt', { key_id, plaintext: 'new' }));
    const { ciphertext, wrapped_key } = bundle;
    const calls = [
      { ciphertext, key_version: 1 },
      { ciphertext, key_version: 2 },
      { ...bundle, ciphertext: newest.ciphertext },
      { ciphertext: 'AAAA', wrapped_key, key_version: 1 },
    ];
    for (const call of calls) {
      expect(await tenant.api.post('/v1/decrypt', { ...call, key_id })).toBeProblem('key_state');
      expect(await newestEntry(tenant)).toMatchObject({ action: 'decrypt', key_id, metadata: refusal });
    }
    expect(ok(await tenant.api.post('/v1/decrypt', newest)).plaintext).toBe('new');
    ok(await put(key_id, 1));
    expect(ok(await tenant.api.post('/v1/decrypt', bundle)).plaintext).toBe('x');
  });

  test.for(['unwrap', 'rewrap'] as const)('%s refuses one that an intake writer made', async (verb) => {
    const writer = await intakeWriter(tenant);
    const wrapped_key = await writer.wrap({ dek: newDek() });
    ok(await tenant.api.post(`/v1/keys/${writer.keyId}/rotate`));
    ok(await put(writer.keyId, 2));
    const call = (key: string) => tenant.api.post(`/v1/keys/${writer.keyId}/${verb}`, { wrapped_key: key });
    expect(await call(wrapped_key)).toBeProblem('key_state');
    expect((await newestEntry(tenant)).metadata).toMatchObject({ ...refusal, intake: true });
    ok(await call(await writer.wrap({ version: 2 })));
  });

  test('is refused for the erasure if its person was erased', async () => {
    const { key_id: subject } = await newKeyOf(1);
    const path = `/v1/keys/${subject}` as const;
    const { wrapped_key } = ok(await tenant.api.post(`${path}/wrap`, { dek: newDek(), subject }));
    ok(await tenant.api.post(`${path}/rotate`));
    ok(await put(subject, 2));
    const unwrap = () => tenant.api.post(`${path}/unwrap`, { wrapped_key, subject });
    expect(await unwrap()).toBeProblem('key_state');
    ok(await tenant.api.post('/v1/subjects/erase', { subject }));
    expect(await unwrap()).toBeProblem('subject_erased');
  });
});
