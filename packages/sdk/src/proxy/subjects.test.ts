import { describe, expect, test } from 'vitest';
import { all, dek, key, setUp, wrapPath, wrapped } from '../../test/proxied.ts';
import type { Grant } from './proxy.ts';

const owned = Buffer.from([1, 2, ...new Uint8Array(76)]).toString('base64');
const plain = Buffer.from([1, 1, ...new Uint8Array(76)]).toString('base64');
const intake = Buffer.from([2, 1, ...new Uint8Array(100)]).toString('base64');
const refused = { status: 403, json: { code: 'permission_missing' } };
const path = (verb: string) => `/api/eaas/v1/keys/${key}/${verb}`;
const opened = { dek, key_id: key, key_version: 1 };
const answer = () => Response.json({ ...wrapped, ...opened, rewrapped: true });

describe('a grant with a subject', () => {
  const authorize = (): Grant => ({ ...all, subject: '42' });

  test('sets the subject of each call, and accepts only this one', async () => {
    const { post, sent } = setUp({ authorize }, answer);
    for (const subject of [undefined, '42']) {
      await post(wrapPath, { dek, subject });
      await post(path('unwrap'), { wrapped_key: owned, subject });
      await post(path('rewrap'), { wrapped_key: owned, subject });
    }
    expect(sent.map(({ body }) => (body as { subject?: string }).subject)).toEqual(Array(6).fill('42'));
    const asked = sent.length;
    expect(await post(wrapPath, { dek, subject: '43' })).toMatchObject(refused);
    expect(await post(path('unwrap'), { wrapped_key: owned, subject: '43' })).toMatchObject(refused);
    const batch = await post('/api/eaas/v1/batch/unwrap', {
      items: [{ key_id: key, wrapped_key: owned, subject: '43' }],
    });
    expect(batch.json).toMatchObject({ results: [{ error: { code: 'permission_missing' } }] });
    expect(sent).toHaveLength(asked);
  });

  test.each([
    ['plain', plain],
    ['intake', intake],
  ])('refuses a data key of nobody: %s', async (_, wrapped_key) => {
    const { post, sent } = setUp({ authorize }, answer);
    for (const verb of ['unwrap', 'rewrap'])
      for (const subject of [undefined, '42'])
        expect(await post(path(verb), { wrapped_key, subject })).toMatchObject(refused);
    expect(sent).toEqual([]);
  });
});

test('a UUID in a grant is one person in upper and lower case', async () => {
  const lower = '5b7c6e3a-1f0d-4c2b-9a8e-0123456789ab';
  const allowed: string[] = [];
  for (const subject of [lower.toUpperCase(), lower, (name: string) => allowed.push(name) > 0]) {
    const { post, sent } = setUp({ authorize: () => ({ ...all, subject }) }, answer);
    for (const named of [lower, lower.toUpperCase()])
      expect(await post(wrapPath, { dek, subject: named })).toMatchObject({ status: 200 });
    expect(sent.map(({ body }) => (body as { subject?: string }).subject)).toEqual([lower, lower]);
  }
  expect(allowed).toEqual([lower, lower]);
  const { post, sent } = setUp({ authorize: () => ({ ...all, user: lower.toUpperCase() }) }, answer);
  for (const user of [lower, lower.toUpperCase(), undefined])
    expect(await post(wrapPath, { dek, user })).toMatchObject({ status: 200 });
  expect(sent.map(({ body }) => (body as { user?: string }).user)).toEqual([lower, lower, lower]);
});

test('a function of the grant decides about each subject, and only `true` allows', async () => {
  const allowed = new Set(['1', '2']);
  const { post, sent } = setUp(
    { authorize: () => ({ ...all, subject: (name) => allowed.has(name) }) },
    answer,
  );
  expect(await post(wrapPath, { dek, subject: '2' })).toMatchObject({ status: 200 });
  expect(await post(wrapPath, { dek, subject: '3' })).toMatchObject(refused);
  expect(await post(wrapPath, { dek })).toMatchObject(refused);
  const promising = setUp({ authorize: () => ({ ...all, subject: (async () => true) as never }) });
  expect(await promising.post(wrapPath, { dek, subject: '2' })).toMatchObject(refused);
  expect([sent.length, promising.sent.length]).toEqual([1, 0]);
});

test('without a subject in the grant, the session can name none', async () => {
  const { post, sent } = setUp({}, answer);
  expect(await post(wrapPath, { dek, subject: '42' })).toMatchObject(refused);
  expect(await post(path('unwrap'), { wrapped_key: owned, subject: '42' })).toMatchObject(refused);
  expect(sent).toEqual([]);
});

describe('the user of a grant', () => {
  const authorize = (): Grant => ({ ...all, user: '7' });

  test('is sent with each call, once for a batch, and not with hashes', async () => {
    const { post, sent } = setUp({ authorize }, answer);
    await post(wrapPath, { dek, user: '7' });
    await post('/api/eaas/v1/batch/wrap', { items: [{ key_id: key, dek }], user: '7' });
    await post('/api/eaas/v1/batch/wrap', { items: [{ key_id: key, dek }] });
    await post('/api/eaas/v1/hash', { key_id: key, value: 'x' });
    expect(sent.map(({ body }) => (body as { user?: string }).user)).toEqual(['7', '7', '7', undefined]);
  });

  test('cannot be another than the app says', async () => {
    for (const given of [authorize, () => all]) {
      const { post, sent } = setUp({ authorize: given }, answer);
      const problem = { status: 400, json: { code: 'bad_request' } };
      expect(await post(wrapPath, { dek, user: '8' })).toMatchObject(problem);
      const batch = { items: [{ key_id: key, dek }], user: '8' };
      expect(await post('/api/eaas/v1/batch/wrap', batch)).toMatchObject(problem);
      expect(sent).toEqual([]);
    }
  });
});
