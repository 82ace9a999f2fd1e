import { expect, test, vi } from 'vitest';
import { all, observedClient } from '../../test/observed-client.ts';
import { EaasClient, type EaasClientOptions } from '../index.ts';

const fail = (): never => {
  throw new Error('no');
};

test.each<[string, Partial<EaasClientOptions>]>([
  ['throws', { onEvent: fail }],
  ['rejects', { onEvent: () => Promise.reject(new Error('no')) as never }],
  ['is a logger that throws', { logger: { debug: fail, warn: () => undefined } }],
])('an observer that %s does not affect calls and other observers', async (_, options) => {
  const broken = vi.fn();
  process.on('unhandledRejection', broken);
  const seen = vi.fn();
  const { client } = await observedClient({ onEvent: seen, logger: { debug: seen, warn: seen }, ...options });
  await client.encrypt('x');
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', broken);
  expect(broken).not.toHaveBeenCalled();
  expect(seen).toHaveBeenCalled();
});

test('every entry that calls of a client write is in an event, also if calls are sent together', async () => {
  const { client, events, service, keyId } = await observedClient();
  await client.encrypt('a', { fresh: true });
  await Promise.all(['b', 'c', 'd'].map((value) => client.encrypt(value, { fresh: true })));
  await client.keys.rotate(keyId);
  await client.keys.get(keyId);
  await client.hash('e');
  const received = events.flatMap((event) =>
    event.type === 'call' ? (event.entries ?? event.entry ?? []) : [],
  );
  const logged = await all(new EaasClient(service).audit.list({}, { order: 'oldest' }));
  // The first two entries are about the API key and the key, which the test service made itself.
  expect(received).toEqual(logged.slice(2).map(({ id, hash }) => ({ id, hash })));
  expect(received).toHaveLength(5);
});

test.each<[string, (client: EaasClient) => unknown]>([
  ['encrypt', (client) => client.encrypt('x')],
  ['encryptMany', (client) => client.encryptMany(['x', { value: 'y', context: { row: '1' } }])],
  ['encryptSync', (client) => client.prime().then(() => client.encryptSync('x'))],
])('the first value without a context is an event: %s', async (_, call) => {
  const warn = vi.fn();
  const { client, events } = await observedClient({ logger: { debug: () => undefined, warn } });
  const missing = () => events.filter(({ type }) => type === 'context.missing');
  await client.encrypt('x', { context: { row: '1' } });
  await client.encryptMany([{ value: 'y', context: {} }]);
  expect(missing()).toEqual([]);
  await call(client);
  await client.as('7').encrypt('x');
  await client.encrypt('x');
  expect(missing()).toEqual([{ type: 'context.missing' }]);
  expect(warn.mock.calls).toEqual([['eaas context.missing', { type: 'context.missing' }]]);
});
