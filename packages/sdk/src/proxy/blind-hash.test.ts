import { problem } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { all, key, otherKey, setUp } from '../../test/proxied.ts';
import type { Grant } from './proxy.ts';

const path = '/api/eaas/v1/hash/blind';
const point = `A${'g'.repeat(43)}`;
const answer = { key_id: key, evaluated: [point], proof: `${'A'.repeat(86)}==`, public_key: point };
const grant: Grant = { keys: [key], operations: ['blindHash'], context: { user: '42' } };
const authorize = () => grant;
const refused = (status: number, code: string) => ({ status, json: { code } });

test('the proxy sends a request for blind hashes without the context that `authorize` returned', async () => {
  const { post, sent } = setUp({ authorize }, () => Response.json({ ...answer, internal: 'secret' }));
  const response = await post(path, { key_id: key.toUpperCase(), elements: [point] });
  expect(response).toMatchObject({ status: 200 });
  expect(response.json).toEqual(answer);
  expect(sent).toMatchObject([
    { url: 'https://keys.example/v1/hash/blind', body: { key_id: key, elements: [point] } },
  ]);
});

describe('the proxy refuses a blind hash before it calls the service', () => {
  test('a blind hash is refused if the grant has every operation except `blindHash`', async () => {
    const { post, sent, events } = setUp({ authorize: () => all });
    expect(await post(path, { key_id: key, elements: [point] })).toMatchObject({
      ...refused(403, 'permission_missing'),
      json: { detail: 'The app does not allow this session to blindHash.' },
    });
    expect({ sent, events }).toEqual({
      sent: [],
      events: [{ type: 'grant_refused', missing: 'operation', operation: 'blindHash', keyId: undefined }],
    });
  });

  test('a blind hash is refused if the grant lacks the key', async () => {
    const { post, sent, events } = setUp({ authorize });
    expect(await post(path, { key_id: otherKey, elements: [point] })).toMatchObject(
      refused(404, 'not_found'),
    );
    expect({ sent, events }).toEqual({
      sent: [],
      events: [{ type: 'grant_refused', missing: 'key', operation: 'blindHash', keyId: otherKey }],
    });
  });

  test.each<[string, unknown, RegExp]>([
    ['no elements', { key_id: key, elements: [] }, /`?elements`? must .*1 to 100/],
    ['101 elements', { key_id: key, elements: Array(101).fill(point) }, /`?elements`? must .*1 to 100/],
    ['a value in place of elements', { key_id: key, value: 'Ada' }, /elements/],
    ['a value beside the elements', { key_id: key, elements: [point], value: 'Ada' }, /value/],
    ['a context', { key_id: key, elements: [point], context: { user: '42' } }, /context/],
    ['an element that is not a string', { key_id: key, elements: [1] }, /elements\[0\]|elements\.0/],
  ])('a blind hash is refused if the request has %s', async (_, body, detail) => {
    const { post, sent } = setUp({ authorize });
    expect(await post(path, body)).toMatchObject({
      ...refused(400, 'bad_request'),
      json: { detail: expect.stringMatching(detail) as string },
    });
    expect(sent).toEqual([]);
  });

  test('a batch of blind hashes is refused, because the service has no batches of blind hashes', async () => {
    const { post, sent } = setUp({ authorize });
    for (const route of ['batch/blindHash', 'batch/blind', 'batch/hash/blind', 'hash/blind/']) {
      expect(await post(`/api/eaas/v1/${route}`, { items: [] })).toMatchObject(refused(404, 'not_found'));
    }
    expect(sent).toEqual([]);
  });
});

test('a grant that allows `blindHash` does not allow `hash`', async () => {
  const { post, sent } = setUp({ authorize });
  const hash = await post('/api/eaas/v1/hash', { key_id: key, value: 'Ada' });
  expect(hash).toMatchObject(refused(403, 'permission_missing'));
  expect(sent).toEqual([]);
});

test.each([
  ['an invalid element', problem('bad_request', '`elements[3]` must be a point.'), 400, /elements\[3\]/],
  ['a disabled key', problem('key_state', 'The key is disabled.'), 409, /disabled/],
  ['an API key without permission', problem('permission_missing', 'The API key …'), 502, /not available/],
  ['a busy service', problem('unavailable', 'Too many blind hashes wait.'), 503, /try again/],
])('the page gets the refusal of the service for %s', async (_, body, status, detail) => {
  const { post } = setUp({ authorize }, () => Response.json(body, { status: body.status }));
  const response = await post(path, { key_id: key, elements: [point] });
  expect(response).toMatchObject({ status, json: { detail: expect.stringMatching(detail) as string } });
});
