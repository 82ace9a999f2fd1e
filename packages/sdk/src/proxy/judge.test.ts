import { describe, expect, test } from 'vitest';
import { all, dek, key, referenced, setUp, wrapPath } from '../../test/proxied.ts';

describe('the context of the grant', () => {
  const authorize = () => ({ ...all, context: { user: '42' } });
  const unwrapPath = `/api/eaas/v1/keys/${key}/unwrap`;
  const rewrapPath = `/api/eaas/v1/keys/${key}/rewrap`;

  test('the proxy merges the context of the browser with the context that `authorize` returned', async () => {
    const { post, sent } = setUp({ authorize });
    await post(wrapPath, { dek });
    await post(wrapPath, { dek, context: { form: 'a' } });
    for (const path of [unwrapPath, rewrapPath]) await post(path, { wrapped_key: 'AQ==' });
    await post('/api/eaas/v1/batch/wrap', {
      items: [
        { key_id: key, dek },
        { key_id: key, dek, context: { form: 'b' } },
      ],
    });
    expect(sent.map(({ body }) => body)).toEqual([
      { dek, context: { user: '42' } },
      { dek, context: { form: 'a', user: '42' } },
      { wrapped_key: 'AQ==', context: { user: '42' } },
      { wrapped_key: 'AQ==', context: { user: '42' } },
      {
        items: referenced([
          { key_id: key, dek, context: { user: '42' } },
          { key_id: key, dek, context: { form: 'b', user: '42' } },
        ]),
      },
    ]);
  });

  test.each(['43', '42', ''])(
    'the proxy refuses a context from the browser with a name that `authorize` also set, even with the same value: %j',
    async (user) => {
      const { post, sent } = setUp({ authorize });
      const refused = {
        status: 400,
        json: { code: 'bad_request', detail: expect.stringContaining('`user`') as string },
      };
      expect(await post(unwrapPath, { wrapped_key: 'AQ==', context: { user } })).toMatchObject(refused);
      const batch = await post('/api/eaas/v1/batch/unwrap', {
        items: [{ key_id: key, wrapped_key: 'AQ==', context: { user } }],
      });
      expect(batch.json).toMatchObject({ results: [{ error: { code: 'bad_request' } }] });
      expect(sent).toEqual([]);
    },
  );

  test('names that the context object inherits are not part of the context', async () => {
    const { post, sent } = setUp();
    await post(wrapPath, { dek, context: { toString: 'x', constructor: 'y' } });
    expect(sent[0]?.body).toEqual({ dek, context: { toString: 'x', constructor: 'y' } });
  });

  test('the size limit applies to the context from `authorize` and the context from the browser together', async () => {
    const { post, sent } = setUp({ authorize: () => ({ ...all, context: { user: 'x'.repeat(3_000) } }) });
    expect(await post(wrapPath, { dek, context: { form: 'y'.repeat(3_000) } })).toMatchObject({
      status: 400,
    });
    expect(sent).toEqual([]);
  });

  test('the proxy sends a hash request without the context that `authorize` returned', async () => {
    const { post, sent } = setUp({ authorize });
    await post('/api/eaas/v1/hash', { key_id: key, value: 'Ada' });
    expect(sent[0]?.body).toEqual({ key_id: key, value: 'Ada' });
  });
});
