import { describe, expect, test } from 'vitest';
import { newIssuer } from '@eaas/test-kit/calls';
import { expectNothingRecorded, newestEntry, newTenant, ok, uniqueName } from '@eaas/test-kit/fixture';
import { jwkOfBits } from '@eaas/test-kit/rsa';
import { aTimestamp, aUuid } from './shapes.ts';

const tenant = await newTenant();
const key = await tenant.newKey();
const { jwks } = newIssuer(key.key_id);
const [ed25519] = jwks.keys;

const create = (fields: object = {}, { api } = tenant) =>
  api.post('/v1/issuers', { ...newIssuer(key.key_id), ...fields });
const created = async (fields: object = {}) => ok(await create(fields));
const patch = (id: string, body: object, { api } = tenant) => api.patch(`/v1/issuers/${id}`, body);
const revoke = (id: string) => tenant.api.delete(`/v1/issuers/${id}`);
const pathOf = (id: string) => `/v1/issuers/${id}` as const;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** An issuer that no test changes. */
const { issuer_id: standing } = await created();

test('POST /v1/issuers returns 201 with the record, and the log has its fields', async () => {
  const fields = newIssuer(key.key_id);
  const answer = await create({ ...fields, key_ids: [key.key_id.toUpperCase()] });
  expect(answer).toHaveStatus(201);
  const { body } = answer;
  expect(body).toStrictEqual({
    issuer_id: aUuid,
    kind: 'people',
    ...fields,
    jwks_uri: null,
    authorized_parties: null,
    allowed_origins: null,
    subject_claim: 'sub',
    subject_prefix: '',
    any_subject: false,
    require: null,
    max_age_seconds: 3_600,
    expires_at: null,
    created_at: aTimestamp,
    created_by: tenant.apiKeyId,
    revoked_at: null,
  });
  expect(answer.headers.get('location')).toBe(pathOf(body.issuer_id));
  const { issuer_id } = body;
  const { metadata, ...entry } = await newestEntry(tenant);
  expect(entry).toMatchObject({ action: 'issuer.create', key_id: null, actor: tenant.apiKeyId });
  const canonical = JSON.stringify({ keys: [{ crv: 'Ed25519', kty: 'OKP', x: ed25519?.x }] });
  expect(metadata).toMatchObject({ issuer_id, issuer: fields.issuer, jwks: canonical });
  expect(ok(await tenant.api.get(pathOf(issuer_id)))).toStrictEqual(body);
  const { jwks: _, require: __, ...listed } = body;
  expect(ok(await tenant.api.get('/v1/issuers?limit=1')).issuers).toStrictEqual([listed]);
});

const rsa = (bits: number) => ({ keys: [jwkOfBits(bits)] });

test.each<[string, object]>([
  ['a private key', { jwks: { keys: [{ ...ed25519, d: 'AAAA' }] } }],
  ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }],
  ['an RSA key of 2,040 bits', { jwks: rsa(2_040) }],
  ['an RSA key of 4,104 bits', { jwks: rsa(4_104) }],
  ['an Ed25519 key that is cut', { jwks: { keys: [{ ...ed25519, x: 'AAAA' }] } }],
  ['no key', { jwks: { keys: [] } }],
  ['keys from a host that is not allowed', { jwks: undefined, jwks_uri: 'https://sign-in.example/keys' }],
  ['keys of two kinds', { jwks, jwks_uri: 'https://sign-in.example/keys' }],
  ['`require` with no value', { require: { role: [] } }],
  ['`require` with `__proto__`', { require: JSON.parse('{"__proto__":["x"]}') as object }],
  ['`require` with a name that users choose', { require: { email: ['a@example.com'] } }],
  ['all keys', { key_ids: null }],
  ['a permission that users cannot have', { permissions: ['keys.manage'] }],
  ['an age of 59 seconds', { max_age_seconds: 59 }],
])('an issuer with %s is refused when it is created or changed', async (_, fields) => {
  await expectNothingRecorded(tenant, async () => {
    expect(await create(fields)).toBeProblem('bad_request');
    expect(await patch(standing, fields)).toBeProblem('bad_request');
  });
});

test.each(['email', 'preferred_username', 'name', 'nickname', '__proto__'])(
  'the claim %s names nobody',
  async (claim) => {
    expect(await create({ subject_claim: claim })).toBeProblem('bad_request', /subject_claim/);
  },
);

test('staff needs `require`, which a PATCH cannot remove', async () => {
  expect(await create({ any_subject: true })).toBeProblem('bad_request', /require/);
  const { issuer_id } = await created({ any_subject: true, require: { role: ['staff'] } });
  expect(await patch(issuer_id, { require: null })).toBeProblem('bad_request', /require/);
});

const at = (subject_prefix: string, more: object = {}) => ({ subject_prefix, ...more });
const elsewhere = { issuer: 'https://b.example' };
const staff = { any_subject: true, require: { role: ['staff'] } };
test.each<[string, object, object, number]>([
  ['the same prefix for another issuer', at('a:'), at('a:', elsewhere), 409],
  ['a longer prefix', at('a:'), at('a:b:', elsewhere), 409],
  ['no prefix', at('a:'), at('', elsewhere), 409],
  ['a prefix of a UUID in other case', at('A-'), at('a-', elsewhere), 409],
  ['another prefix', at('a:'), at('b:', elsewhere), 201],
  ['staff', at('a:'), at('', { ...elsewhere, ...staff }), 201],
])('%s beside another issuer', async (_, first, second, status) => {
  const other = await newTenant();
  const key_ids = [(await other.newKey()).key_id];
  const { issuer_id } = ok(await create({ key_ids, ...first }, other));
  const answer = await create({ key_ids, ...second }, other);
  expect(answer).toHaveStatus(status);
  if (status === 201) return;
  expect(answer).toBeProblem('conflict', /prefix/);
  ok(await other.api.delete(pathOf(issuer_id)));
  expect(await create({ key_ids, ...second }, other)).toHaveStatus(201);
});

describe('an issuer grants only what its creator has', () => {
  test.each<[string, Record<string, unknown>, object]>([
    ['a permission', { permissions: ['api_keys.manage', 'encrypt'] }, { permissions: ['decrypt'] }],
    ['the own log', { permissions: ['api_keys.manage', 'encrypt'] }, { permissions: ['audit.own'] }],
    ['no expiry', { expires_at: inAnHour() }, {}],
    ['a later expiry', { expires_at: inAnHour() }, { expires_at: '2099-01-01T00:00:00Z' }],
  ])('%s', async (_, limits, fields) => {
    const { api } = await tenant.issue(limits);
    await expectNothingRecorded(tenant, async () => {
      expect(await create({ permissions: ['encrypt'], ...fields }, { ...tenant, api })).toBeProblem(
        'permission_missing',
      );
    });
  });

  test('anyone can narrow it, and only who has all its rights can widen it', async () => {
    const { api } = await tenant.issue({ permissions: ['api_keys.manage', 'encrypt'] });
    const by = { ...tenant, api };
    const { issuer_id: id } = await created({ require: { role: ['a'] } });
    for (const narrower of [
      { name: uniqueName('issuer') },
      { allowed_origins: ['https://app.example'] },
      { expires_at: '2099-01-01T00:00:00.000Z' },
    ]) {
      expect(await patch(id, narrower, by)).toHaveStatus(200);
    }
    for (const wider of [
      { jwks: rsa(2_048) },
      { require: { role: ['a', 'b'] } },
      { require: null },
      { authorized_parties: ['web'] },
      { max_age_seconds: 60 },
      { expires_at: null },
      { allowed_origins: null },
      { permissions: ['encrypt', 'decrypt', 'audit.own'] },
    ]) {
      expect(await patch(id, wider, by)).toBeProblem('permission_missing');
      expect(await patch(id, wider)).toHaveStatus(200);
    }
    expect(await patch(id, { permissions: ['encrypt'] }, by)).toHaveStatus(200);
  });
});

test('PATCH changes fields, and records the old and the new values', async () => {
  const { issuer_id } = await created();
  const body = { max_age_seconds: 900, authorized_parties: ['web'], jwks: rsa(2_048) };
  expect(ok(await patch(issuer_id, body))).toMatchObject(body);
  const { metadata } = await newestEntry(tenant);
  expect(metadata).toStrictEqual({
    issuer_id,
    changes: {
      max_age_seconds: { old: 3_600, new: 900 },
      authorized_parties: { old: null, new: '["web"]' },
      jwks: { old: expect.any(String), new: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    },
    previous_change: expect.any(Number),
  });
  await expectNothingRecorded(tenant, async () => {
    expect(await patch(issuer_id, body)).toHaveStatus(200);
    expect(await patch(issuer_id, {})).toHaveStatus(200);
  });
});

test('fields that say who the users are never change', async () => {
  for (const field of ['issuer', 'audience', 'kind', 'subject_claim', 'subject_prefix', 'any_subject']) {
    const value = field === 'any_subject' ? true : 'x';
    expect(await patch(standing, { [field]: value })).toBeProblem('bad_request', new RegExp(field));
  }
});

test('DELETE revokes an issuer for ever', async () => {
  const { issuer_id } = await created();
  const { revoked_at } = ok(await revoke(issuer_id));
  expect(revoked_at).toEqual(aTimestamp);
  expect((await newestEntry(tenant)).action).toBe('issuer.revoke');
  await expectNothingRecorded(tenant, async () => {
    expect(ok(await revoke(issuer_id)).revoked_at).toBe(revoked_at);
    expect(await patch(issuer_id, { name: 'x' })).toBeProblem('conflict', /revoked/);
  });
});
