import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';

test.each([
  {},
  { dek: 7, key_id: 'k', key_version: 1 },
  { dek: 'AAAA', key_id: 'k', key_version: 1 },
  { results: [{}, {}] },
  null,
])('a call throws `invalid_response` for the invalid response %j', async (answer) => {
  const { client, make } = observedClient();
  const bundles = await Promise.all([0, 1].map((n) => client.encrypt(`${n}`, { fresh: true })));
  const talker = make({ fetch: async () => Response.json(answer) });
  const calls = [
    ...bundles.map((bundle) => talker.decrypt(bundle)),
    talker.encrypt('x'),
    talker.encrypt('x', { fresh: true }),
    talker.hash('x'),
    talker.rewrap(bundles[0]?.ciphertext ?? ''),
  ];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ reason: { name: 'ServiceError', code: 'invalid_response' } });
  }
});

test.each([
  { key_version: 'x' },
  { key_version: -1 },
  { key_version: 2 ** 32 },
  { wrapped_key: '' },
  { wrapped_key: 'A'.repeat(2_736) },
])('a call throws `invalid_response` for a response with the invalid wrapped key %j', async (nonsense) => {
  const answer = { wrapped_key: 'AAAA', key_version: 1 };
  const { client } = observedClient({
    fetch: async (input) => {
      const key_id = (input as Request).url.split('/').at(-2);
      return Response.json({ ...answer, key_id, ...nonsense });
    },
  });
  for (const call of [() => client.encrypt('x'), () => client.wrap(new Uint8Array(32))]) {
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_response' });
  }
});

test('a wrap context can have no prototype', async () => {
  const { client } = observedClient();
  const wrapContext = Object.assign(Object.create(null) as object, { user: '1' });
  const { ciphertext } = await client.encrypt('x', { wrapContext });
  const asAnother = client.as('who has no data key in memory');
  expect(await asAnother.decrypt(ciphertext, { as: 'text', wrapContext: { user: '1' } })).toBe('x');
});
