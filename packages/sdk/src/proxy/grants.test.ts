// What a session may do: the operations, keys, contexts, subjects and users that `authorize` grants, for one item and in a
// batch, and what the service then gets.
import { problem } from '@eaas/protocol/wire';
import { describe, expect, test, vi } from 'vitest';
import {
  all,
  apiKey,
  batchAnswer,
  dek,
  key,
  otherKey,
  referenced,
  setUp,
  wrapped,
  wrapPath,
} from '../../test/proxied.ts';
import type { Grant, ProxyOptions } from './proxy.ts';

const verbPath = (verb: string) => `/api/eaas/v1/keys/${key}/${verb}`;
const batchPath = (verb: string) => `/api/eaas/v1/batch/${verb}`;
const hashPath = '/api/eaas/v1/hash';
const granting = (grant: Partial<Grant>) => ({ authorize: () => ({ ...all, ...grant }) });

const forbidden = { status: 403, json: { code: 'permission_missing' } };
const unknown = { status: 404, json: { code: 'not_found' } };
const malformed = { status: 400, json: { code: 'bad_request' } };

describe('a granted call', () => {
  test('is sent with the API key and headers of the proxy', async () => {
    const { post, sent } = setUp();
    const headers = { cookie: 'session=1', authorization: 'Bearer x', origin: 'https://app.example' };
    expect(await post(wrapPath, { dek }, headers)).toMatchObject({ status: 200, json: wrapped });
    const [{ url, headers: own, body } = { headers: new Headers() }] = sent;
    expect({ url, body }).toEqual({ url: `https://keys.example/v1/keys/${key}/wrap`, body: { dek } });
    const json = 'application/json';
    const expected = { accept: json, authorization: `Bearer ${apiKey}`, 'content-type': json };
    expect(Object.fromEntries(own)).toEqual(expected);
  });

  test('returns only documented fields and the request id, no receipt, and forbids caching', async () => {
    const entry = { id: 48_213, hash: 'ab'.repeat(32) };
    const headers = {
      'x-request-id': 'request-1',
      'set-cookie': 'a=1',
      server: 'secret',
      'eaas-entry': `${entry.id} ${entry.hash}`,
    };
    const { post } = setUp({}, () => Response.json({ ...wrapped, internal: 'secret', entry }, { headers }));
    const answer = await post(wrapPath, { dek });
    expect(answer.json).toEqual(wrapped);
    expect(Object.fromEntries(answer.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'request-1',
    });
    const refused = { error: problem('wrapped_key_unauthentic', 'The wrapped key was altered.') };
    const batch = setUp(
      {},
      batchAnswer([
        { ...wrapped, entry },
        { ...refused, entry },
      ]),
    );
    const items = [1, 2].map(() => ({ key_id: key, dek }));
    expect((await batch.post(batchPath('wrap'), { items })).json).toEqual({ results: [wrapped, refused] });
  });

  test('has a key that the grant names in upper case', async () => {
    const { post } = setUp(granting({ keys: [key.toUpperCase()] }));
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 200 });
  });

  test('works under any `basePath`', async () => {
    const { post } = setUp({ basePath: '/x' });
    expect(await post(`/x/v1/keys/${key}/wrap`, { dek })).toMatchObject({ status: 200 });
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 404 });
    const atRoot = setUp({ basePath: '' });
    expect(await atRoot.post(`/v1/keys/${key}/wrap`, { dek })).toMatchObject({ status: 200 });
  });
});

describe('what `authorize` returns', () => {
  test.each([undefined, null, false] as const)('refuses the session if it is %s', async (decided) => {
    const { post, sent, events } = setUp({ authorize: () => decided });
    expect(await post(wrapPath, { dek })).toMatchObject(forbidden);
    const event = { type: 'grant_refused', missing: 'session', operation: 'wrap', keyId: key };
    expect({ sent, events }).toEqual({ sent: [], events: [event] });
  });

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['a key without operations', { keys: [key] }],
    ['text in place of operations', { keys: [key], operations: 'unwrap' }],
    ['a misspelt context', { ...all, contexts: { user: '1' } }],
    ['an undefined subject', { ...all, subject: undefined }],
    ['a context that is not an object of texts', { ...all, context: { user: 1 } }],
    ['an empty subject', { ...all, subject: '' }],
    ['a user with a control character', { ...all, user: 'a\n' }],
    ['an error', new Error('session store: password=hunter2')],
  ])('is refused with 500 and an event if it is %s', async (_, decided) => {
    const isError = decided instanceof Error;
    const authorize = async () => (isError ? Promise.reject(decided) : (decided as Grant));
    const { post, sent, events } = setUp({ authorize });
    const answer = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status: 500, json: { code: 'internal' } });
    expect(answer.text).not.toMatch(/session|hunter2/);
    const error = isError ? decided : { name: 'InputError' };
    expect({ sent, events }).toMatchObject({ sent: [], events: [{ type: 'authorize_failed', error }] });
  });

  test('is asked for with the operation and the key, before the body is read', async () => {
    const authorize = vi.fn<ProxyOptions['authorize']>(() => false);
    const { post } = setUp({ authorize });
    await post(wrapPath.replace(key, key.toUpperCase()), 'no JSON', { cookie: 'session=1' });
    await post(batchPath('unwrap'), 'no JSON');
    expect(authorize.mock.calls.map(([, asked]) => asked)).toEqual([
      { operation: 'wrap', keyId: key },
      { operation: 'unwrap', keyId: undefined },
    ]);
    expect(authorize.mock.calls[0]?.[0].headers.get('cookie')).toBe('session=1');
  });
});

const ofOther = { key_id: otherKey, value: '' };
const others = [otherKey, 'patients', otherKey].map((key_id) => ({ key_id, dek }));

test.each<[string, Partial<Grant>, string, object, object, object]>([
  ['operation', { operations: ['unwrap'] }, wrapPath, { dek }, forbidden, { operation: 'wrap', keyId: key }],
  ['key', {}, wrapPath.replace(key, otherKey), { dek }, unknown, { operation: 'wrap', keyId: otherKey }],
  ['key', {}, hashPath, ofOther, unknown, { operation: 'hash', keyId: otherKey }],
  [
    'key',
    {},
    batchPath('wrap'),
    { items: others },
    { json: { results: others.map(() => ({ error: { code: 'not_found' } })) } },
    { operation: 'wrap', keyId: otherKey },
  ],
])(
  'a call whose %s the grant %j lacks is refused, with one event: %s %j',
  async (missing, grant, path, body, refused, of) => {
    const { post, sent, events } = setUp(granting(grant));
    expect(await post(path, body)).toMatchObject(refused);
    const event = { type: 'grant_refused', missing, keyId: undefined, ...of };
    expect({ sent, events }).toEqual({ sent: [], events: [event] });
  },
);

describe('the context of the grant', () => {
  const ofUser = granting({ context: { user: '42' } });
  const wrappedKey = { wrapped_key: 'AQ==' };

  test('is merged with the context of the browser, but not into hashes', async () => {
    const { post, sent } = setUp(ofUser);
    await post(wrapPath, { dek });
    await post(wrapPath, { dek, context: { form: 'a' } });
    for (const verb of ['unwrap', 'rewrap']) await post(verbPath(verb), wrappedKey);
    const items = [
      { key_id: key, dek },
      { key_id: key, dek, context: { form: 'b' } },
    ];
    await post(batchPath('wrap'), { items });
    await post(hashPath, { key_id: key, value: 'Ada' });
    const context = { user: '42' };
    expect(sent.map(({ body }) => body)).toEqual([
      { dek, context },
      { dek, context: { form: 'a', ...context } },
      { ...wrappedKey, context },
      { ...wrappedKey, context },
      {
        items: referenced([
          { ...items[0], context },
          { ...items[1], context: { form: 'b', ...context } },
        ]),
      },
      { key_id: key, value: 'Ada' },
    ]);
  });

  test.each(['43', '42', ''])(
    'cannot be named by the browser too, even with the same value: %j',
    async (user) => {
      const { post, sent } = setUp(ofUser);
      const given = { ...wrappedKey, context: { user } };
      const detail = expect.stringContaining('`user`') as string;
      expect(await post(verbPath('unwrap'), given)).toMatchObject({ ...malformed, json: { detail } });
      const batch = await post(batchPath('unwrap'), { items: [{ key_id: key, ...given }] });
      expect(batch.json).toMatchObject({ results: [{ error: malformed.json }] });
      expect(sent).toEqual([]);
    },
  );

  test('has no names that an object inherits, and one limit of size together with that of the browser', async () => {
    const { post, sent } = setUp(granting({ context: { user: 'x'.repeat(3_000) } }));
    expect(await post(wrapPath, { dek, context: { form: 'y'.repeat(3_000) } })).toMatchObject(malformed);
    expect(sent).toEqual([]);
    const context = { toString: 'x', constructor: 'y' };
    const alone = setUp();
    await alone.post(wrapPath, { dek, context });
    expect(alone.sent[0]?.body).toEqual({ dek, context });
  });
});

describe('people and users', () => {
  const wrappedOf = (...head: number[]) => Buffer.from([...head, ...new Uint8Array(100)]).toString('base64');
  const owned = Buffer.from([1, 2, ...new Uint8Array(76)]).toString('base64');
  const plain = Buffer.from([1, 1, ...new Uint8Array(76)]).toString('base64');
  const opened = { dek, key_id: key, key_version: 1 };
  const answer = () => Response.json({ ...wrapped, ...opened, rewrapped: true });
  const open = (grant: Partial<Grant>) => {
    const { sent, ...opened } = setUp(granting(grant), answer);
    const named = (name: 'subject' | 'user') =>
      sent.map(({ body }) => (body as Readonly<Record<string, unknown>>)[name]);
    return { sent, named, ...opened };
  };

  test('a grant with a subject sets it in each call, and accepts only this one', async () => {
    const { post, sent, named } = open({ subject: '42' });
    for (const subject of [undefined, '42']) {
      await post(wrapPath, { dek, subject });
      for (const verb of ['unwrap', 'rewrap']) await post(verbPath(verb), { wrapped_key: owned, subject });
    }
    expect(named('subject')).toEqual(Array(6).fill('42'));
    const of = { wrapped_key: owned, subject: '43' };
    expect(await post(wrapPath, { dek, subject: '43' })).toMatchObject(forbidden);
    expect(await post(verbPath('unwrap'), of)).toMatchObject(forbidden);
    const { json } = await post(batchPath('unwrap'), { items: [{ key_id: key, ...of }] });
    expect(json).toMatchObject({ results: [{ error: forbidden.json }] });
    expect(sent).toHaveLength(6);
  });

  test.each([
    ['plain', plain],
    ['intake', wrappedOf(2, 1)],
  ])('a grant with a subject refuses a data key of nobody: %s', async (_, wrapped_key) => {
    const { post, sent } = open({ subject: '42' });
    for (const verb of ['unwrap', 'rewrap'])
      for (const subject of [undefined, '42'])
        expect(await post(verbPath(verb), { wrapped_key, subject })).toMatchObject(forbidden);
    expect(sent).toEqual([]);
  });

  test('a UUID in a grant is one person in upper and lower case', async () => {
    const lower = '5b7c6e3a-1f0d-4c2b-9a8e-0123456789ab';
    const allowed: string[] = [];
    for (const subject of [lower.toUpperCase(), lower, (name: string) => allowed.push(name) > 0]) {
      const { post, named } = open({ subject });
      for (const of of [lower, lower.toUpperCase()]) await post(wrapPath, { dek, subject: of });
      expect(named('subject')).toEqual([lower, lower]);
    }
    expect(allowed).toEqual([lower, lower]);
  });

  test('a function of the grant decides about each subject, and only `true` allows', async () => {
    const { post, sent } = open({ subject: (name) => ['1', '2'].includes(name) });
    expect(await post(wrapPath, { dek, subject: '2' })).toMatchObject({ status: 200 });
    for (const subject of ['3', undefined])
      expect(await post(wrapPath, { dek, subject })).toMatchObject(forbidden);
    const promising = open({ subject: (async () => true) as never });
    expect(await promising.post(wrapPath, { dek, subject: '2' })).toMatchObject(forbidden);
    expect([sent.length, promising.sent.length]).toEqual([1, 0]);
  });

  test('without a subject in the grant, the session can name none', async () => {
    const { post, sent } = open({});
    expect(await post(wrapPath, { dek, subject: '42' })).toMatchObject(forbidden);
    expect(await post(verbPath('unwrap'), { wrapped_key: owned, subject: '42' })).toMatchObject(forbidden);
    expect(sent).toEqual([]);
  });

  test('the user of a grant is sent with each call, once for a batch, and not with hashes', async () => {
    const { post, named } = open({ user: '7' });
    const items = [{ key_id: key, dek }];
    await post(wrapPath, { dek, user: '7' });
    await post(batchPath('wrap'), { items, user: '7' });
    await post(batchPath('wrap'), { items });
    await post(hashPath, { key_id: key, value: 'x' });
    expect(named('user')).toEqual(['7', '7', '7', undefined]);
  });

  test.each([{ user: '7' }, {}])('the user cannot be another than the app says: %j', async (grant) => {
    const { post, sent } = open(grant);
    expect(await post(wrapPath, { dek, user: '8' })).toMatchObject(malformed);
    const batch = { items: [{ key_id: key, dek }], user: '8' };
    expect(await post(batchPath('wrap'), batch)).toMatchObject(malformed);
    expect(sent).toEqual([]);
  });
});

describe('a batch', () => {
  const path = batchPath('wrap');
  const result = (key_version: number) => ({ wrapped_key: 'AQ==', key_id: key, key_version });
  const item = { key_id: key, dek };

  test('sends only the allowed items and returns all results in order', async () => {
    const results = [result(1), { error: problem('key_state', 'The key is disabled.') }, result(3)];
    const { post, sent } = setUp({}, batchAnswer(results));
    const items = [
      { ...item, key_id: otherKey, reference: 'not granted' },
      { ...item, reference: 'first' },
      { ...item, dek: 'AQ==', reference: 'malformed' },
      { ...item, key_id: key.toUpperCase() },
      { ...item, key_id: 'patients' },
      null,
      { ...item, context: { form: '1' } },
      { ...item, extra: 1 },
    ];
    expect((await post(path, { items })).json).toMatchObject({
      results: [
        { error: { code: 'not_found', status: 404 }, reference: 'not granted' },
        { ...result(1), reference: 'first' },
        { error: { code: 'bad_request' }, reference: 'malformed' },
        { error: { code: 'key_state' } },
        { error: { code: 'not_found' } },
        { error: { code: 'bad_request' } },
        result(3),
        { error: { code: 'bad_request' } },
      ],
    });
    const body = { items: referenced([item, item, { ...item, context: { form: '1' } }]) };
    expect(sent).toMatchObject([{ url: 'https://keys.example/v1/batch/wrap', body }]);
  });

  test.each<[string, unknown]>([
    ['1,001 items', { items: Array.from({ length: 1_001 }, () => item) }],
    ['a field beside `items`', { items: [item], key_id: key }],
  ])('executes no item if it has %s', async (_, body) => {
    const { post, sent } = setUp();
    expect(await post(path, body)).toMatchObject(malformed);
    expect(sent).toEqual([]);
  });

  const missing = { error: problem('permission_missing', 'This API key cannot.') };
  test.each([
    [
      'if the service confuses the results',
      [result(1)],
      { type: 'service_failed', reason: 'invalid_response' },
    ],
    [
      'without what concerns the API key',
      [missing, missing],
      { type: 'api_key_refused', code: 'permission_missing' },
    ],
  ])('fails with 502 and one event %s', async (_, results, event) => {
    const { post, events } = setUp({}, batchAnswer(results));
    const { json, text } = await post(path, { items: [item, item] });
    const error = expect.objectContaining({ code: 'unavailable', status: 502 }) as object;
    expect(json).toEqual({ results: [{ error }, { error }] });
    expect(text).not.toContain('API key');
    expect(events).toMatchObject([event]);
  });
});
