import { problem } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { batchAnswer, dek, key, otherKey, referenced, setUp, wrapPath } from '../../test/proxied.ts';

const path = '/api/eaas/v1/batch/wrap';
const result = (key_version: number) => ({ wrapped_key: 'AQ==', key_id: key, key_version });
const item = { key_id: key, dek };

describe('batches through the proxy', () => {
  test('a batch sends only the allowed items and returns all results in order', async () => {
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
    expect(sent.map(({ url, body }) => ({ url, body }))).toEqual([
      {
        url: 'https://keys.example/v1/batch/wrap',
        body: { items: referenced([item, item, { ...item, context: { form: '1' } }]) },
      },
    ]);
  });

  test('a browser gets no receipt, neither in the header nor in a result', async () => {
    const entry = { id: 48_213, hash: 'ab'.repeat(32) };
    const refused = { error: problem('wrapped_key_unauthentic', 'The wrapped key was altered.') };
    const results = [result(1), refused];
    const answers = batchAnswer(results.map((one) => ({ ...one, entry })));
    const batch = await setUp({}, answers).post(path, { items: [item, item] });
    expect(batch.json).toEqual({ results });
    const headers = { 'eaas-entry': `${entry.id} ${entry.hash}` };
    const single = await setUp({}, () => Response.json(result(1), { headers })).post(wrapPath, { dek });
    expect(single).toMatchObject({ status: 200, json: result(1) });
    expect(single.headers.get('eaas-entry')).toBeNull();
  });

  test.each<[string, unknown]>([
    ['no `items`', {}],
    ['an empty list', { items: [] }],
    ['1,001 items', { items: Array.from({ length: 1_001 }, () => item) }],
    ['a field beside `items`', { items: [item], key_id: key }],
    ['an object instead of a list', { items: { 0: item, length: 1 } }],
  ])('no item of a batch is executed if the batch has %s', async (_, body) => {
    const { post, sent } = setUp();
    expect(await post(path, body)).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect(sent).toEqual([]);
  });

  test('the proxy accepts a batch of 1,000 items', async () => {
    const { post } = setUp({}, batchAnswer(Array.from({ length: 1_000 }, (_, i) => result(i))));
    const { json } = await post(path, { items: Array.from({ length: 1_000 }, () => item) });
    expect((json as { results: unknown[] }).results[999]).toEqual(result(999));
  });

  test('the items fail with 502, and one event, if the service confuses the results', async () => {
    const { post, events } = setUp({}, batchAnswer([result(1)]));
    const error = { code: 'unavailable', status: 502 };
    const { json } = await post(path, { items: [item, item] });
    expect(json).toMatchObject({ results: [{ error }, { error }] });
    expect(events).toMatchObject([{ type: 'service_failed', reason: 'invalid_response' }]);
  });

  test('the proxy hides batch errors that concern the API key of the app', async () => {
    const error = problem('permission_missing', 'This API key cannot.');
    const { post, events } = setUp({}, batchAnswer([{ error }, { error }]));
    const { text, json } = await post(path, { items: [item, item] });
    const hidden = { error: expect.objectContaining({ code: 'unavailable', status: 502 }) as object };
    expect(json).toEqual({ results: [hidden, hidden] });
    expect(text).not.toContain('API key');
    expect(events).toMatchObject([{ type: 'api_key_refused', code: 'permission_missing' }]);
  });

  test('the proxy returns the `reference` of a batch item only if the reference is valid', async () => {
    const { post } = setUp();
    const items = [
      { ...item, key_id: otherKey, reference: 'x'.repeat(129) },
      { ...item, key_id: otherKey, reference: { a: 1 } },
      { ...item, key_id: otherKey, reference: '\ud800' },
      { ...item, key_id: otherKey, reference: '' },
    ];
    const { json } = await post(path, { items });
    expect(
      (json as { results: { reference?: unknown }[] }).results.map(({ reference }) => reference),
    ).toEqual([undefined, undefined, undefined, '']);
  });

  test('of a batch, the proxy forwards hashes without a context, and one allowed item as a call', async () => {
    const hash = { hash: 'ab'.repeat(32), key_id: key };
    const items = ['Ada', 'Bob'].map((value) => ({ key_id: key, value }));
    const hashes = setUp({}, batchAnswer([hash, hash]));
    expect((await hashes.post('/api/eaas/v1/batch/hash', { items })).json).toEqual({ results: [hash, hash] });
    expect(hashes.sent).toMatchObject([{ body: { items: referenced(items) } }]);
    const alone = setUp({}, () => Response.json(result(1)));
    const sent = { items: [item, { ...item, key_id: otherKey }] };
    expect((await alone.post(path, sent)).json).toMatchObject({ results: [result(1), { error: {} }] });
    expect(alone.sent).toMatchObject([{ url: `https://keys.example/v1/keys/${key}/wrap`, body: { dek } }]);
  });
});
