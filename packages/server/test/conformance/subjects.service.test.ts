import { describe, expect, test } from 'vitest';
import { newDek, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { problemDocument } from '@eaas/test-kit/matchers';
import { aBase64, aHash, aReceipt, aTimestamp } from './shapes.ts';

const tenant = await newTenant();
const { api } = tenant;
const { key_id } = await tenant.newKey();
const path = `/v1/keys/${key_id}` as const;

const newSubject = () => crypto.randomUUID();

async function wrapFor(subject: string, fields: object = {}) {
  const dek = newDek();
  const { wrapped_key } = ok(await api.post(`${path}/wrap`, { dek, subject, ...fields }));
  return { dek, wrapped_key: wrapped_key };
}

const unwrap = (wrapped_key: string, fields: object = {}) =>
  api.post(`${path}/unwrap`, { wrapped_key, ...fields });
const erase = (body: object) => api.post('/v1/subjects/erase', body);
const show = (body: object) => api.post('/v1/subjects/show', body);
const metadata = async () => (await newestEntry(tenant)).metadata;

describe('a data key of a subject', () => {
  test('opens with its subject, and the log names both calls', async () => {
    const subject = newSubject();
    const { dek, wrapped_key } = await wrapFor(subject);
    expect(Buffer.from(wrapped_key, 'base64').subarray(0, 2)).toEqual(Buffer.from([1, 2]));
    const { subject_id } = ok(await show({ subject }));
    const logged = subject_id.slice(0, 32);
    expect(await metadata()).toEqual({ subject: logged, subject_created: true });
    expect(ok(await unwrap(wrapped_key, { subject })).dek).toBe(dek);
    expect(await metadata()).toEqual({ key_version: 1, subject: logged });
    const second = await wrapFor(subject);
    expect(await metadata()).toEqual({ subject: logged });
    expect(ok(await unwrap(second.wrapped_key, { subject })).dek).toBe(second.dek);
  });

  test('does not open with another or none, nor a plain one with a subject, and the refusal is recorded', async () => {
    await wrapFor('other');
    const { wrapped_key } = await wrapFor(newSubject());
    const plain = ok(await api.post(`${path}/wrap`, { dek: newDek() })).wrapped_key;
    for (const call of [
      () => unwrap(wrapped_key),
      () => unwrap(wrapped_key, { subject: 'other' }),
      () => unwrap(plain, { subject: 'other' }),
    ]) {
      expect(await call()).toBeProblem('wrapped_key_unauthentic');
      expect(await metadata()).toMatchObject({ outcome: 'refused', code: 'wrapped_key_unauthentic' });
    }
  });

  test('opens by itself after a rotation, and rewrap keeps its subject', async () => {
    const own = await tenant.newKey();
    const subject = newSubject();
    const dek = newDek();
    const keyPath = `/v1/keys/${own.key_id}` as const;
    const old = ok(await api.post(`${keyPath}/wrap`, { dek, subject })).wrapped_key;
    ok(await api.post(`${keyPath}/rotate`, {}));
    expect(await api.post(`${keyPath}/rewrap`, { wrapped_key: old })).toBeProblem('wrapped_key_unauthentic');
    const { wrapped_key, rewrapped } = ok(await api.post(`${keyPath}/rewrap`, { wrapped_key: old, subject }));
    expect(rewrapped).toBe(true);
    expect(ok(await api.post(`${keyPath}/unwrap`, { wrapped_key, subject })).dek).toBe(dek);
    expect(await api.post(`${keyPath}/unwrap`, { wrapped_key })).toBeProblem('wrapped_key_unauthentic');
  });
});

test('a batch has items of many subjects, new and known, and names one user', async () => {
  const [known, fresh] = [newSubject(), newSubject()];
  await wrapFor(known);
  const items = [known, fresh, fresh, undefined].map((subject) => ({ key_id, dek: newDek(), subject }));
  const { results } = ok(await api.post('/v1/batch/wrap', { items, user: 'dr-7' }));
  const seen = (await tenant.entries('limit=4')).map((entry) => entry.metadata).toReversed();
  expect(seen.map(({ subject_created = false }) => subject_created)).toEqual([false, true, false, false]);
  expect(new Set(seen.map(({ user }) => user)).size).toBe(1);
  expect(seen.every(({ user_asserted }) => user_asserted === true)).toBe(true);
  const wrapped = results as { wrapped_key: string }[];
  const back = items.map(({ subject }, at) => ({ key_id, subject, wrapped_key: wrapped[at]?.wrapped_key }));
  const opened = ok(await api.post('/v1/batch/unwrap', { items: back })).results;
  expect(opened).toMatchObject(items.map(({ dek }) => ({ dek })));
  const withUser = { items: [{ key_id, dek: newDek(), user: 'dr-7' }] };
  const refused = ok(await api.post('/v1/batch/wrap', withUser)).results;
  expect(refused).toMatchObject([{ error: problemDocument('bad_request', /user/) }]);
});

test('a key that requires subjects wraps and encrypts only for one', async () => {
  const { key_id: strict } = ok(await api.post('/v1/keys', { name: newSubject(), subjects: 'required' }));
  const wrap = (fields: object) => api.post(`/v1/keys/${strict}/wrap`, { dek: newDek(), ...fields });
  expect(await wrap({})).toBeProblem('bad_request', /subject/);
  const encrypted = await api.post('/v1/encrypt', { key_id: strict, plaintext: 'x' });
  expect(encrypted).toBeProblem('bad_request', /subject/);
  expect(await wrap({ subject: newSubject() })).toHaveStatus(200);
});

test('a person whose id is a UUID is the same in upper and in lower case', async () => {
  const lower = newSubject();
  const upper = lower.toUpperCase();
  const { dek, wrapped_key } = await wrapFor(upper, { user: upper });
  const { subject, user } = await metadata();
  expect(ok(await unwrap(wrapped_key, { subject: lower, user: lower })).dek).toBe(dek);
  expect(await metadata()).toMatchObject({ subject, user });
  const items = [upper, lower].map((subject) => ({ key_id, wrapped_key, subject }));
  expect(ok(await api.post('/v1/batch/unwrap', { items })).results).toMatchObject([{ dek }, { dek }]);
  const { erased_at } = ok(await erase({ subject: upper }));
  expect(ok(await show({ subject: lower }))).toMatchObject({ erased_at });
  for (const subject of [lower, upper]) {
    expect(await unwrap(wrapped_key, { subject })).toBeProblem('subject_erased');
  }
});

test('server mode encrypts and decrypts for a subject', async () => {
  const subject = newSubject();
  const bundle = ok(await api.post('/v1/encrypt', { key_id, plaintext: 'J45.0', subject, user: 'dr-7' }));
  expect(bundle.ciphertext).toEqual(aBase64);
  const decrypt = (fields: object) =>
    api.post('/v1/decrypt', { key_id, key_version: 1, ciphertext: bundle.ciphertext, ...fields });
  expect(ok(await decrypt({ subject })).plaintext).toBe('J45.0');
  expect(await decrypt({})).toBeProblem('decryption_failed');
  expect(await decrypt({ subject: 'another' })).toBeProblem('decryption_failed');
  ok(await erase({ subject }));
  expect(await decrypt({ subject })).toBeProblem('subject_erased');
});

describe('an erasure', () => {
  test('ends every call with the subject, and says when and where it was recorded', async () => {
    const subject = newSubject();
    const { wrapped_key } = await wrapFor(subject);
    const { created_at } = ok(await show({ subject }));
    const erased = ok(await erase({ subject }));
    expect(erased).toStrictEqual({ subject_id: aHash, erased_at: aTimestamp, entry: aReceipt });
    const { subject_id, erased_at, entry } = erased;
    const recorded = { action: 'subject.erase', key_id: null, metadata: { subject: subject_id } };
    expect(await newestEntry(tenant)).toMatchObject({ ...entry, ...recorded });
    expect(ok(await show({ subject }))).toStrictEqual({ subject_id, created_at, erased_at });
    for (const one of [wrapped_key, 'AAAA']) {
      const fields = { wrapped_key: one, subject };
      expect(await api.post(`${path}/unwrap`, fields)).toBeProblem('subject_erased');
      expect(await metadata()).toMatchObject({ outcome: 'refused', code: 'subject_erased' });
      expect(await api.post(`${path}/rewrap`, fields)).toBeProblem('subject_erased');
    }
    expect(await api.post(`${path}/wrap`, { dek: newDek(), subject })).toBeProblem('subject_erased');
    expect(await unwrap(wrapped_key)).toBeProblem('wrapped_key_unauthentic');
  });

  test('can be repeated, by name and by id, without a second entry', async () => {
    const subject = newSubject();
    await wrapFor(subject);
    const first = ok(await erase({ subject }));
    const total = await tenant.auditTotal();
    expect(ok(await erase({ subject }))).toStrictEqual(first);
    expect(ok(await erase({ subject_id: first.subject_id, create: true }))).toStrictEqual(first);
    expect(await tenant.auditTotal()).toBe(total);
  });

  test('of an unknown subject is 404, or keeps it away', async () => {
    const subject = newSubject();
    expect(await erase({ subject })).toBeProblem('not_found', /create/);
    expect(await show({ subject })).toBeProblem('not_found');
    ok(await erase({ subject, create: true }));
    expect(await api.post(`${path}/wrap`, { dek: newDek(), subject })).toBeProblem('subject_erased');
  });
});

test('equal names of two tenants, and of a subject and a user, have different ids', async () => {
  const other = await newTenant();
  const otherKey = await other.newKey();
  ok(await other.api.post(`/v1/keys/${otherKey.key_id}/wrap`, { dek: newDek(), subject: 'same' }));
  await wrapFor('same', { user: 'same' });
  const { subject, user } = (await metadata()) as Record<string, string>;
  const there = ok(await other.api.post('/v1/subjects/show', { subject: 'same' }));
  expect(new Set([subject, user, there.subject_id.slice(0, 32)]).size).toBe(3);
});
