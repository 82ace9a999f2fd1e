import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';

test.each([
  ['a negative key version', { key_version: -1 }],
  ['a key version of 33 bits', { key_version: 2 ** 32 }],
  ['an empty wrapped key', { wrapped_key: '' }],
  ['a wrapped key of 2,052 bytes', { wrapped_key: 'A'.repeat(2_736) }],
])('calls throw `invalid_response` for a response with %s', async (_, nonsense) => {
  const { client, make, keyId } = await observedClient();
  const bundle = await client.encrypt('x');
  const answer = { wrapped_key: 'AAAA', key_id: keyId, key_version: 1, rewrapped: true, ...nonsense };
  const talker = make({ fetch: async () => Response.json(answer) });
  const calls = [talker.encrypt('x'), talker.wrap(new Uint8Array(32)), talker.rewrap(bundle)];
  for (const result of await Promise.allSettled<unknown>(calls)) {
    expect(result).toMatchObject({ reason: { name: 'ServiceError', code: 'invalid_response' } });
  }
});

test('a call throws `invalid_response` for a response with a DEK of 3 bytes', async () => {
  const { client, make, keyId } = await observedClient();
  const bundle = await client.encrypt('x');
  const answer = { dek: 'AAAA', key_id: keyId, key_version: 1 };
  const talker = make({ fetch: async () => Response.json(answer) });
  await expect(talker.decrypt(bundle)).rejects.toMatchObject({ code: 'invalid_response' });
});

test('a wrap context can have no prototype', async () => {
  const { client } = await observedClient();
  const wrapContext = Object.assign(Object.create(null) as object, { user: '1' });
  const ciphertext = await client.encrypt('x', { wrapContext });
  const asAnother = client.as('who has no data key in memory');
  expect(await asAnother.decrypt(ciphertext, { as: 'text', wrapContext: { user: '1' } })).toBe('x');
});

test.each([
  ['text', 'AQEA'],
  ['nothing', undefined],
  ['an answer of the API', { key_id: 'k', key_version: 1, wrapped_key: 'AQEA' }],
  ['bytes without a version', { keyId: 'k', wrappedKey: new Uint8Array(78) }],
])('`unwrap` says what it needs instead of %s, and asks nobody', async (_, wrapped) => {
  const { make } = await observedClient();
  let asked = 0;
  const client = make({ fetch: async () => Response.json({ asked: ++asked }) });
  await expect(client.unwrap(wrapped as never)).rejects.toThrow(
    'the argument of `unwrap` must be the return value of `wrap` (got ',
  );
  expect(asked).toBe(0);
});
