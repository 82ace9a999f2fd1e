import { describe, expect, test } from 'vitest';
import { asJson } from '@eaas/test-kit/api';
import { newIssuer } from '@eaas/test-kit/calls';
import { clientOf, newDek, newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { intakeWriter } from '@eaas/test-kit/intake-writer';
import { newSignIn } from '@eaas/test-kit/sign-in';

const tenant = await newTenant('--envelope-only', 'false');
const writer = await intakeWriter(tenant);
const key_id = writer.keyId;
const other = await tenant.newKey();
const path = `/v1/keys/${key_id}` as const;
const platform = newSignIn();
const permissions = ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'keys.destroy', 'keys.export'];
const require = { namespace: ['shop'] };
const workload = {
  ...newIssuer(key_id),
  kind: 'workload',
  jwks: { keys: [platform.jwk] },
  permissions,
  require,
  subject_prefix: 'k8s:',
};

const create = (fields: object = {}, { api } = tenant) => api.post('/v1/issuers', { ...workload, ...fields });
const made = ok(await create());
const hex = expect.stringMatching(/^[0-9a-f]{32}$/) as string;

const clientAs = (name: string, claims: object = { namespace: 'shop' }, issuer = made.issuer_id) =>
  clientOf(platform.token(name, claims), { 'eaas-issuer': issuer });

const shop = await clientAs('shop');

describe('the issuer of a workload', () => {
  test('has its kind in every record, and others are those of people', async () => {
    expect(ok(await create())).toMatchObject({ kind: 'workload', permissions, require, any_subject: false });
    expect((await newestEntry(tenant)).metadata).toMatchObject({ kind: 'workload', permissions });
    ok(await tenant.api.post('/v1/issuers', newIssuer(key_id)));
    const { issuers } = ok(await tenant.api.get('/v1/issuers?limit=2'));
    expect(issuers.map(({ kind }) => kind)).toEqual(['people', 'workload']);
  });

  test.for<[string, object, RegExp]>([
    ['without required claims', { require: null }, /`require`/],
    ['with origins', { allowed_origins: ['https://app.example'] }, /`allowed_origins`/],
    ['with the own log', { permissions: ['audit.own'] }, /`audit.own`/],
    ['with API keys', { permissions: ['encrypt', 'api_keys.manage'] }, /`permissions/],
    ['with erasures', { permissions: ['subjects.erase'] }, /`permissions/],
  ])('is refused %s, new or changed', async ([, fields, detail]) => {
    expect(await create(fields)).toBeProblem('bad_request', detail);
    const changed = await tenant.api.patch(`/v1/issuers/${made.issuer_id}`, fields);
    expect(changed).toBeProblem('bad_request', detail);
  });

  test('has a known kind, which never changes', async () => {
    expect(await create({ kind: 'robot' })).toBeProblem('bad_request', /`kind`/);
    for (const kind of ['people', 'workload']) {
      expect(await tenant.api.patch(`/v1/issuers/${made.issuer_id}`, { kind })).toBeProblem('bad_request');
    }
  });

  test('alone has permissions of keys, within those of its creator', async () => {
    for (const permission of permissions.filter((one) => one.startsWith('keys.'))) {
      expect(await create({ kind: 'people', permissions: [permission] })).toBeProblem('bad_request');
    }
    const { api } = await tenant.issue({ permissions: ['api_keys.manage', 'keys.read'] });
    const few = { permissions: ['keys.read'] };
    expect(await create({}, { ...tenant, api })).toBeProblem('permission_missing');
    ok(await create(few, { ...tenant, api }));
  });
});

describe('a call of a workload', () => {
  test('takes values of people, of nobody and of intake writers, alone and in batches', async () => {
    for (const named of [{}, { subject: 'ann' }]) {
      const dek = newDek();
      const { wrapped_key } = ok(await shop.post(`${path}/wrap`, { dek, ...named }));
      expect(ok(await shop.post(`${path}/unwrap`, { wrapped_key, ...named })).dek).toBe(dek);
      ok(await shop.post(`${path}/rewrap`, { wrapped_key, ...named }));
      const items = [{ key_id, wrapped_key, ...named }];
      expect(ok(await shop.post('/v1/batch/unwrap', { items })).results).toMatchObject([{ dek }]);
      expect(ok(await tenant.api.post(`${path}/unwrap`, { wrapped_key, ...named })).dek).toBe(dek);
      const bundle = ok(await shop.post('/v1/encrypt', { key_id, plaintext: 'x', ...named }));
      expect(ok(await shop.post('/v1/decrypt', { ...bundle, ...named })).plaintext).toBe('x');
    }
    const dek = newDek();
    const wrapped_key = await writer.wrap({ dek });
    expect(ok(await shop.post(`${path}/unwrap`, { wrapped_key })).dek).toBe(dek);
    expect(ok(await shop.post('/v1/hash', { key_id, value: 'x' })).key_id).toBe(key_id);
  });

  test('names its issuer and workload in the log, and the user for whom it acts as an API key does', async () => {
    const body = { dek: newDek(), subject: 'ben', user: 'k8s:shop' };
    ok(await tenant.api.post(`${path}/wrap`, body));
    const { metadata: asserted } = await newestEntry(tenant);
    ok(await shop.post(`${path}/wrap`, { ...body, user: undefined }));
    const entry = await newestEntry(tenant);
    // The id of a workload is made like that of a user.
    const { user: workload, subject } = asserted;
    expect(entry).toMatchObject({ actor: made.issuer_id, action: 'key.wrap' });
    expect(entry.metadata).toStrictEqual({ subject, workload });
    ok(await shop.post(`${path}/wrap`, { ...body, user: 'eve' }));
    const { metadata } = await newestEntry(tenant);
    expect(metadata).toStrictEqual({ subject, user: hex, user_asserted: true, workload });
    expect(metadata['user']).not.toBe(workload);
  });

  test('that is refused names it too', async () => {
    const wrapped_key = await wrapped(tenant.api, key_id, { a: 'b' });
    expect(await shop.post(`${path}/unwrap`, { wrapped_key })).toBeProblem('wrapped_key_unauthentic');
    expect((await newestEntry(tenant)).metadata).toMatchObject({ workload: hex, outcome: 'refused' });
  });

  test('sees and changes only its keys, and creates none', async () => {
    expect(ok(await shop.get('/v1/keys')).keys.map((one) => one.key_id)).toEqual([key_id]);
    expect(await shop.get(`/v1/keys/${other.key_id}`)).toBeProblem('not_found');
    expect(await shop.post(`/v1/keys/${other.key_id}/rotate`)).toBeProblem('not_found');
    expect(await shop.post('/v1/keys', { name: 'new' })).toBeProblem('permission_missing');
  });

  test('without a claim that is required is refused, whatever it asks', async () => {
    for (const claims of [{}, { namespace: 'other' }]) {
      const api = await clientAs('shop', claims);
      expect(await api.post(`${path}/wrap`, { dek: newDek() })).toBeProblem('permission_missing', /claims/);
      expect(await api.get('/v1/keys')).toBeProblem('permission_missing', /claims/);
    }
  });

  test('with an Origin is refused', async () => {
    const headers = { ...asJson, origin: 'https://app.example' };
    const answer = await shop.send('POST', `${path}/wrap`, JSON.stringify({ dek: newDek() }), headers);
    expect(answer).toBeProblem('origin_refused');
  });

  test('that changes a key names it in the log, beside the change', async () => {
    ok(await shop.post(`${path}/rotate`));
    const metadata = { workload: hex, key_version: 2, from_version: 1 };
    const changed = { action: 'key.rotate', actor: made.issuer_id, metadata };
    expect(await newestEntry(tenant)).toMatchObject(changed);
  });
});

test('a workload has only the permissions of its issuer', async () => {
  const { issuer_id } = ok(await create({ permissions: ['keys.read'] }));
  const reader = await clientAs('shop', undefined, issuer_id);
  expect(await reader.get(path)).toHaveStatus(200);
  for (const call of ['rotate', 'disable', 'wrap', 'unwrap']) {
    expect(await reader.post(`${path}/${call}`)).toBeProblem('permission_missing');
  }
});

test('a workload of an envelope-only tenant is named when server mode refuses it', async () => {
  const strict = await newTenant('--envelope-only', 'true');
  const key = await strict.newKey();
  const { issuer_id } = ok(await create({ key_ids: [key.key_id] }, strict));
  const api = await clientAs('shop', undefined, issuer_id);
  expect(await api.post('/v1/encrypt', { key_id: key.key_id, plaintext: 'x' })).toBeProblem('envelope_only');
  const metadata = { workload: hex };
  expect(await newestEntry(strict)).toMatchObject({ action: 'envelope_only.refused', metadata });
});
