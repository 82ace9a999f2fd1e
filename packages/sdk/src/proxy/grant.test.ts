import { describe, expect, test, vi } from 'vitest';
import { all, dek, key, otherKey, setUp, wrapPath } from '../../test/proxied.ts';
import type { Grant, ProxyOptions } from './proxy.ts';

describe('authorize', () => {
  test.each([undefined, null, false] as const)(
    'the response is 403 and no call is sent if `authorize` returns %s',
    async (decided) => {
      const { post, sent, events } = setUp({ authorize: () => decided });
      expect(await post(wrapPath, { dek })).toMatchObject({
        status: 403,
        json: { code: 'permission_missing' },
      });
      const event = { type: 'grant_refused', missing: 'session', operation: 'wrap', keyId: key };
      expect({ sent, events }).toEqual({ sent: [], events: [event] });
    },
  );

  test.each<[string, unknown]>([
    ['true', true],
    ['an empty object', {}],
    ['a key without operations', { keys: [key] }],
    ['text in place of operations', { keys: [key], operations: 'unwrap' }],
    ['an unknown operation', { keys: [key], operations: ['wrap', 'rotate'] }],
    ['a star', { keys: ['*'], operations: ['wrap'] }],
    ['text in place of keys', { keys: key, operations: ['wrap'] }],
    ['a misspelt context', { ...all, contexts: { user: '1' } }],
    ['a context that is not an object of texts', { ...all, context: { user: 1 } }],
    ['an empty subject', { ...all, subject: '' }],
    ['a subject that is a number', { ...all, subject: 42 }],
    ['an undefined subject', { ...all, subject: undefined }],
    ['a user with a control character', { ...all, user: 'a\n' }],
  ])('the proxy responds with 500 and an event if `authorize` returns %s', async (_, decided) => {
    const { post, sent, events } = setUp({ authorize: () => decided as Grant });
    const answer = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status: 500, json: { code: 'internal' } });
    expect(events).toMatchObject([{ type: 'authorize_failed', error: { name: 'InputError' } }]);
    expect(sent).toEqual([]);
  });

  test('the proxy responds with 500 and an event if `authorize` throws', async () => {
    const error = new Error('session store: password=hunter2');
    const { post, sent, events } = setUp({ authorize: () => Promise.reject(error) });
    const answer = await post(wrapPath, { dek });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/session|hunter2/);
    expect({ sent, events }).toEqual({ sent: [], events: [{ type: 'authorize_failed', error }] });
  });

  test('the proxy responds with 403 to an operation that is not in the grant', async () => {
    const { post, sent, events } = setUp({ authorize: () => ({ keys: [key], operations: ['unwrap'] }) });
    const refused = { status: 403, json: { code: 'permission_missing' } };
    expect(await post(wrapPath, { dek })).toMatchObject(refused);
    expect(await post('/api/eaas/v1/batch/wrap', { items: [{ key_id: key, dek }] })).toMatchObject(refused);
    expect(await post('/api/eaas/v1/hash', { key_id: key, value: '' })).toMatchObject(refused);
    expect(sent).toEqual([]);
    const event = { type: 'grant_refused', missing: 'operation' };
    expect(events).toEqual([
      { ...event, operation: 'wrap', keyId: key },
      { ...event, operation: 'wrap', keyId: undefined },
      { ...event, operation: 'hash', keyId: undefined },
    ]);
  });

  test('the proxy responds with 404 to a key that is not in the grant', async () => {
    const { post, sent, events } = setUp();
    const refused = { status: 404, json: { code: 'not_found' } };
    expect(await post(`/api/eaas/v1/keys/${otherKey}/wrap`, { dek })).toMatchObject(refused);
    expect(await post('/api/eaas/v1/hash', { key_id: otherKey, value: '' })).toMatchObject(refused);
    expect(await post('/api/eaas/v1/hash', { key_id: 'patients', value: '' })).toMatchObject(refused);
    const event = { type: 'grant_refused', missing: 'key' };
    expect(events).toEqual([
      { ...event, operation: 'wrap', keyId: otherKey },
      { ...event, operation: 'hash', keyId: otherKey },
      { ...event, operation: 'hash', keyId: undefined },
    ]);
    const nothing = setUp({ authorize: () => ({ ...all, keys: [] }) });
    expect(await nothing.post(wrapPath, { dek })).toMatchObject(refused);
    expect([...sent, ...nothing.sent]).toEqual([]);
  });

  test('a batch with many keys outside the grant emits one event, and sends nothing', async () => {
    const { post, sent, events } = setUp();
    const items = [otherKey, 'patients', otherKey].map((key_id) => ({ key_id, dek }));
    const { json } = await post('/api/eaas/v1/batch/wrap', { items });
    expect(json).toMatchObject({ results: items.map(() => ({ error: { code: 'not_found' } })) });
    const event = { type: 'grant_refused', missing: 'key', operation: 'wrap', keyId: otherKey };
    expect({ sent, events }).toEqual({ sent: [], events: [event] });
  });

  test('`authorize` gets the operation and the key before the body is read', async () => {
    const authorize = vi.fn<ProxyOptions['authorize']>(() => false);
    const { post } = setUp({ authorize });
    await post(wrapPath.replace(key, key.toUpperCase()), 'no JSON', { cookie: 'session=1' });
    await post('/api/eaas/v1/batch/unwrap', 'no JSON');
    expect(authorize.mock.calls.map(([, asked]) => asked)).toEqual([
      { operation: 'wrap', keyId: key },
      { operation: 'unwrap', keyId: undefined },
    ]);
    const [[request] = []] = authorize.mock.calls;
    expect(request?.headers.get('cookie')).toBe('session=1');
  });
});
