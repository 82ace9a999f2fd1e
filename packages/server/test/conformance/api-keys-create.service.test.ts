import { describe, expect, test } from 'vitest';
import { checkDigits } from '@eaas/test-kit/decoder';
import {
  allPermissions,
  expectNothingRecorded,
  newestEntry,
  newTenant,
  ok,
  uniqueName,
  unknownId,
} from '@eaas/test-kit/fixture';
import { apiKeyRecord, auditEntry } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();

const create = (fields: object) =>
  tenant.api.post('/v1/api-keys', { name: 'ci', permissions: ['encrypt'], ...fields });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

test('POST /v1/api-keys returns 201 with the record and the token', async () => {
  const name = uniqueName('ci');
  const answer = await create({ name, permissions: ['decrypt', 'encrypt'] });
  expect(answer).toHaveStatus(201);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const { api_key, ...record } = answer.body;
  expect(record).toStrictEqual(
    apiKeyRecord({
      name,
      hint: api_key.slice(-4),
      permissions: expect.toSatisfy((list: string[]) => list.toSorted().join() === 'decrypt,encrypt'),
      created_by: tenant.apiKeyId,
    }),
  );
  const shown = await tenant.api.get(`/v1/api-keys/${record.api_key_id}`);
  expect(shown.text).not.toContain(api_key);
  expect(shown.body).toStrictEqual(record);
});

test('a token is eaas_sk_, 43 base62 digits and six check digits', async () => {
  const tokens = await Promise.all(Array.from({ length: 10 }, async () => ok(await create({})).api_key));
  expect(new Set(tokens).size).toBe(10);
  for (const token of tokens) {
    expect(token).toMatch(/^eaas_sk_[0-9A-Za-z]{49}$/);
    expect(token.slice(51)).toBe(checkDigits(token.slice(0, 51)));
  }
});

test('a new API key works immediately, and has only its own permissions', async () => {
  const { api } = await tenant.issue({ permissions: ['keys.read'], expires_at: inAnHour() });
  expect(await api.get('/v1/keys')).toHaveStatus(200);
  expect(await api.get('/v1/audit')).toBeProblem('permission_missing');
});

test('the audit log records the creation of an API key as api_key.create, without the token', async () => {
  const { api_key } = ok(await create({}));
  const entry = await newestEntry(tenant);
  expect(entry).toStrictEqual(
    auditEntry({ action: 'api_key.create', key_id: null, key_version: null, actor: tenant.apiKeyId }),
  );
  expect(JSON.stringify(entry)).not.toContain(api_key);
});

test('POST /v1/api-keys treats null like an absent optional field', async () => {
  const answer = await create({ key_ids: null, expires_at: null, allowed_origins: null });
  expect(answer.body).toMatchObject({ key_ids: null, expires_at: null, allowed_origins: null });
});

test('an API key record shows ids in lower case and times in UTC', async () => {
  const answer = await create({
    key_ids: [key.key_id.toUpperCase()],
    expires_at: '2099-01-01T02:00:00+02:00',
  });
  expect(answer.body).toMatchObject({ key_ids: [key.key_id], expires_at: '2099-01-01T00:00:00.000Z' });
});

describe('refused', () => {
  const bad: [string, () => object, RegExp][] = [
    ['a permission twice', () => ({ permissions: ['encrypt', 'encrypt'] }), /permissions/],
    ['an unknown permission', () => ({ permissions: ['encrypt', 'root'] }), /permissions/],
    ['the permission all', () => ({ permissions: ['all'] }), /permissions/],
    ['permissions null', () => ({ permissions: null }), /permissions/],
    ['a key twice', () => ({ key_ids: [key.key_id, key.key_id] }), /key_ids/],
    ['a key twice, in two cases', () => ({ key_ids: [key.key_id, key.key_id.toUpperCase()] }), /key_ids/],
    [
      'an expiry in the past',
      () => ({ expires_at: new Date(Date.now() - 1_000).toISOString() }),
      /expires_at/,
    ],
    ['an expiry that is not a valid date', () => ({ expires_at: '2099-02-30T00:00:00Z' }), /expires_at/],
    [
      'audit.read for an API key limited to some keys',
      () => ({ key_ids: [key.key_id], permissions: ['audit.read'] }),
      /./,
    ],
    [
      'usage.read for an API key limited to some keys',
      () => ({ key_ids: [key.key_id], permissions: ['encrypt', 'usage.read'] }),
      /./,
    ],
    [
      'api_keys.manage for an API key limited to some keys',
      () => ({ key_ids: [key.key_id], permissions: ['api_keys.manage'] }),
      /./,
    ],
  ];
  test.for(bad)('POST /v1/api-keys refuses %s', async ([, fields, detail]) => {
    await expectNothingRecorded(tenant, async () => {
      expect(await create(fields())).toBeProblem('bad_request', detail);
    });
  });

  test('POST /v1/api-keys returns 404 for an unknown key id or a key name', async () => {
    for (const id of [unknownId(), key.name, '']) {
      expect(await create({ key_ids: [key.key_id, id] })).toBeProblem('not_found');
    }
  });
});

describe('a new API key cannot exceed the permissions of its creator', () => {
  test('an API key cannot grant a permission that it lacks', async () => {
    const { api } = await tenant.issue({ permissions: ['api_keys.manage', 'encrypt'] });
    const give = (permissions: readonly string[]) => api.post('/v1/api-keys', { name: 'x', permissions });
    expect(await give(['encrypt'])).toHaveStatus(201);
    expect(await give(['api_keys.manage', 'encrypt'])).toHaveStatus(201);
    await expectNothingRecorded(tenant, async () => {
      for (const permission of allPermissions.filter(
        (one) => one !== 'encrypt' && one !== 'api_keys.manage',
      )) {
        expect(await give(['encrypt', permission])).toBeProblem('permission_missing');
      }
    });
  });

  test('an API key cannot create another API key that expires later or never expires', async () => {
    const own = inAnHour();
    const { api } = await tenant.issue({ expires_at: own });
    const give = (fields: object) =>
      api.post('/v1/api-keys', { name: 'x', permissions: ['encrypt'], ...fields });
    expect(await give({ expires_at: own })).toHaveStatus(201);
    expect(await give({ expires_at: new Date(Date.parse(own) - 1_000).toISOString() })).toHaveStatus(201);
    const later = new Date(Date.parse(own) + 1).toISOString();
    for (const fields of [{}, { expires_at: null }, { expires_at: later }]) {
      expect(await give(fields)).toBeProblem('permission_missing');
    }
  });
});

describe('an API key limited to some keys', () => {
  test('an API key that is limited to some keys finds only these keys in lists', async () => {
    const other = await tenant.newKey();
    const { api } = await tenant.issue({ key_ids: [key.key_id], permissions: ['keys.read'] });
    const { keys, total } = ok(await api.get('/v1/keys'));
    expect(keys.map((one) => one.key_id)).toStrictEqual([key.key_id]);
    expect(total).toBe(1);
    expect(ok(await api.get(`/v1/keys?name=${encodeURIComponent(other.name)}`)).total).toBe(0);
  });

  test('an API key limited to some keys cannot create keys', async () => {
    const { api } = await tenant.issue({ key_ids: [key.key_id], permissions: ['keys.manage'] });
    expect(await api.post('/v1/keys', { name: 'x' })).toBeProblem('permission_missing');
    expect(await api.post(`/v1/keys/${key.key_id}/rotate`)).toHaveStatus(200);
  });
});
