import { describe, expect, test } from 'vitest';
import { bring, expectNothingRecorded, newestEntry, newTenant, ok, uniqueName } from '@eaas/test-kit/fixture';
import { aTimestamp, auditEntry, keyRecord } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');

const create = (body: unknown) => tenant.api.post('/v1/keys', body);

test('POST /v1/keys returns 201 with the key record and its Location', async () => {
  const name = uniqueName('patients');
  const answer = await create({ name });
  expect(answer).toHaveStatus(201);
  expect(answer.body).toStrictEqual(keyRecord({ name }));
  const location = new URL(answer.headers.get('location') ?? '', 'http://any.example');
  expect(location.pathname).toBe(`/v1/keys/${answer.body.key_id}`);
});

test('POST /v1/keys accepts exportable and a rotation policy', async () => {
  const name = uniqueName('key');
  const key = ok(await create({ name, exportable: true, rotation_policy: { interval_days: 90 } }));
  expect(key).toStrictEqual(
    keyRecord({
      name,
      exportable: true,
      rotation_policy: { interval_days: 90 },
      next_rotation_at: aTimestamp,
    }),
  );
  expect(Date.parse(key.next_rotation_at ?? '') - Date.parse(key.created_at)).toBe(90 * 86_400_000);
});

test('POST /v1/keys accepts intake, and the audit entry has `intake` only if intake is true', async () => {
  const name = uniqueName('key');
  expect(ok(await create({ name, intake: true }))).toStrictEqual(keyRecord({ name, intake: true }));
  expect((await newestEntry(tenant)).metadata).toMatchObject({ intake: true });
  ok(await create({ name: uniqueName('key'), intake: false }));
  expect((await newestEntry(tenant)).metadata).not.toHaveProperty('intake');
});

test('null for an optional field means that the field is absent', async () => {
  const name = uniqueName('key');
  const key = ok(await create({ name, exportable: null, rotation_policy: null }));
  expect(key).toStrictEqual(keyRecord({ name }));
});

test('the audit entry of key.create has the same time as the key record', async () => {
  const { key_id } = await tenant.newKey();
  expect(await newestEntry(tenant)).toStrictEqual(
    auditEntry({ action: 'key.create', key_id, key_version: 1, actor: tenant.apiKeyId }),
  );
});

test('POST /v1/keys returns 409 for the name of another key until that key is destroyed', async () => {
  const { key_id, name } = await tenant.newKey();
  await expectNothingRecorded(tenant, async () => {
    expect(await create({ name })).toBeProblem('name_taken');
  });
  await bring(tenant.api, key_id, 'pending_destruction');
  expect(await create({ name })).toBeProblem('name_taken');
  ok(await tenant.api.post(`/v1/keys/${key_id}/restore`));
  ok(await tenant.api.delete(`/v1/keys/${key_id}?grace_days=0`));
  const again = await create({ name });
  expect(again).toHaveStatus(201);
  expect(again.body.key_id).not.toBe(key_id);
});

test('of two concurrent requests for the same name, one succeeds', async () => {
  const name = uniqueName('contested');
  const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name })));
  const statuses = answers.map((answer) => answer.status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(9);
});

describe('name', () => {
  test.for([
    ['one character', 'n'],
    ['128 characters', 'n'.repeat(128)],
    ['128 code points of four bytes', '🌍'.repeat(128)],
    ['spaces around it', '  n  '],
    ['a slash, quotes and a percent sign', 'a/b "c" \'d\' %00 \\'],
    ['a name that has a meaning in JavaScript', '__proto__'],
    ['text that looks like SQL', "'; drop table keys; --"],
  ] as const)('a name is stored unchanged: %s', async ([, name]) => {
    const key = ok(await create({ name }));
    expect(key.name).toBe(name);
    const found = ok(await tenant.api.get(`/v1/keys?name=${encodeURIComponent(name)}`));
    expect(found.keys.map((one) => one.key_id)).toStrictEqual([key.key_id]);
  });

  test('names that differ in case, spaces or Unicode normalization are names of different keys', async () => {
    for (const name of ['caf\u00e9', 'cafe\u0301', 'Caf\u00e9', 'caf\u00e9 ', ' caf\u00e9', 'ﬁ', 'fi']) {
      expect(await create({ name })).toHaveStatus(201);
    }
  });
});

test.for([
  ['rotation_policy', { interval_days: 0 }],
  ['rotation_policy', { interval_days: 3_651 }],
  ['rotation_policy', { interval_days: 1.5 }],
  ['rotation_policy', { interval_days: '30' }],
  ['rotation_policy', { interval_days: 30, days: 30 }],
] as const)('POST /v1/keys refuses %s as %j', async ([field, value]) => {
  await expectNothingRecorded(tenant, async () => {
    const answer = await create({ name: uniqueName('key'), [field]: value });
    expect(answer).toBeProblem('bad_request', new RegExp(field));
  });
});
