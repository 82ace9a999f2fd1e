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
import type { ProxyGrant, ProxyOptions } from './proxy.ts';

const verbPath = (verb: string) => `/api/eaas/v1/keys/${key}/${verb}`;
const batchPath = (verb: string) => `/api/eaas/v1/batch/${verb}`;
const hashPath = '/api/eaas/v1/hash';
const granting = (grant: Partial<ProxyGrant>) => ({ authorize: () => ({ ...all, ...grant }) });

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
    const authorize = async () => (isError ? Promise.reject(decided) : (decided as ProxyGrant));
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

test.each<[string, Partial<ProxyGrant>, string, object, object, object]>([
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

const wrappedOf = (...head: number[]) => Buffer.from([...head, ...new Uint8Array(76)]).toString('base64');
const [owned, plain, ofIntake] = [wrappedOf(1, 2), wrappedOf(1, 1), wrappedOf(2, 1)];
const context = { user: '42' };
const taken = {
  ...malformed,
  json: { ...malformed.json, detail: expect.stringContaining('`user`') as string },
};
const lower = '5b7c6e3a-1f0d-4c2b-9a8e-0123456789ab';
const upper = lower.toUpperCase();
const ofTwo = (name: string) => ['1', '2'].includes(name);
const promising = (async () => true) as never;
const large = 'x'.repeat(3_000);

/** A grant, what the session sends beside the key and the data key, and what the service gets instead, or the session. */
const judged: readonly (readonly [Partial<ProxyGrant>, string, given: object, gets: object])[] = [
  [{ context }, 'wrap', {}, { context }],
  [{ context }, 'wrap', { context: { form: 'a' } }, { context: { form: 'a', ...context } }],
  [{ context }, 'unwrap', { wrapped_key: plain }, { context }],
  [{ context }, 'rewrap', { wrapped_key: plain }, { context }],
  [{ context }, 'hash', { value: 'Ada' }, {}],
  // The browser cannot name what the app sets, even with the same value.
  [{ context }, 'unwrap', { wrapped_key: plain, context: { user: '43' } }, taken],
  [{ context }, 'unwrap', { wrapped_key: plain, context }, taken],
  [{ context }, 'unwrap', { wrapped_key: plain, context: { user: '' } }, taken],
  [{ context: { user: large } }, 'wrap', { context: { form: large } }, malformed],
  [{}, 'wrap', { context: { toString: 'x', constructor: 'y' } }, {}],
  [{ subject: '42' }, 'wrap', {}, { subject: '42' }],
  [{ subject: '42' }, 'wrap', { subject: '42' }, {}],
  [{ subject: '42' }, 'unwrap', { wrapped_key: owned }, { subject: '42' }],
  [{ subject: '42' }, 'rewrap', { wrapped_key: owned, subject: '42' }, {}],
  [{ subject: '42' }, 'wrap', { subject: '43' }, forbidden],
  [{ subject: '42' }, 'unwrap', { wrapped_key: owned, subject: '43' }, forbidden],
  // A data key of nobody.
  [{ subject: '42' }, 'unwrap', { wrapped_key: plain }, forbidden],
  [{ subject: '42' }, 'rewrap', { wrapped_key: plain, subject: '42' }, forbidden],
  [{ subject: '42' }, 'unwrap', { wrapped_key: ofIntake, subject: '42' }, forbidden],
  [{ subject: '42' }, 'rewrap', { wrapped_key: ofIntake }, forbidden],
  // A UUID is one person in upper and lower case.
  [{ subject: upper }, 'wrap', { subject: lower }, {}],
  [{ subject: lower }, 'wrap', { subject: upper }, { subject: lower }],
  [{ subject: (name) => name === lower }, 'wrap', { subject: upper }, { subject: lower }],
  // A function decides about each subject, and only `true` allows.
  [{ subject: ofTwo }, 'wrap', { subject: '2' }, {}],
  [{ subject: ofTwo }, 'wrap', { subject: '3' }, forbidden],
  [{ subject: ofTwo }, 'wrap', {}, forbidden],
  [{ subject: promising }, 'wrap', { subject: '2' }, forbidden],
  [{}, 'wrap', { subject: '42' }, forbidden],
  [{}, 'unwrap', { wrapped_key: owned, subject: '42' }, forbidden],
  [{ user: '7' }, 'wrap', {}, { user: '7' }],
  [{ user: '7' }, 'wrap', { user: '7' }, {}],
  [{ user: '7' }, 'hash', { value: 'x' }, {}],
  [{ user: '7' }, 'wrap', { user: '8' }, malformed],
  [{}, 'wrap', { user: '8' }, malformed],
];

describe.each(judged)('with the grant %j, the call %s with %j', (grant, verb, given, gets) => {
  const own: object = { ...(verb === 'wrap' && { dek }), ...given };
  const service = (body: unknown) => {
    const result = { ...wrapped, dek, key_version: 1, rewrapped: true, hash: 'ab'.repeat(32) };
    return 'items' in Object(body) ? batchAnswer([result, result])(body) : Response.json(result);
  };
  const isRefused = 'status' in gets;

  test('is sent as the app says, or refused', async () => {
    const { post, sent } = setUp(granting(grant), service);
    const ofHash = verb === 'hash' && { key_id: key };
    const answer = await post(verb === 'hash' ? hashPath : verbPath(verb), { ...own, ...ofHash });
    expect(answer).toMatchObject(isRefused ? gets : { status: 200 });
    expect(sent.map(({ body }) => body)).toEqual(isRefused ? [] : [{ ...own, ...ofHash, ...gets }]);
  });

  test('is sent or refused alike in a batch, which names its user once', async () => {
    const { post, sent } = setUp(granting(grant), service);
    const apart = (fields: object) => {
      const { user, ...item } = { user: undefined, key_id: key, ...fields };
      // One alone would be sent as a single call.
      return { items: [item, item], ...(user !== undefined && { user }) };
    };
    const answer = await post(batchPath(verb), apart(own));
    const { json: error } = gets as { readonly json?: object };
    const ofItem = 'user' in own || !isRefused ? gets : { json: { results: [{ error }, { error }] } };
    expect(answer).toMatchObject(isRefused ? ofItem : { status: 200 });
    const { items, ...acting } = apart({ ...own, ...gets });
    const body = { items: referenced(items), ...acting };
    expect(sent.map((one) => one.body)).toEqual(isRefused ? [] : [body]);
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
