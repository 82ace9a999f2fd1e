import { getEventListeners } from 'node:events';
import { failureOf } from '@eaas/test-kit/failure-of';
import { expect, test, vi } from 'vitest';
import { arrivals, observedClient, outcomesOf, valuesOf } from '../../test/observed-client.ts';
import type { EaasClientOptions, Settled } from '../index.ts';
import { defineFields, field } from '../fields/fields.ts';

const never = new Promise<never>(() => undefined);

const setUp = (options: Partial<EaasClientOptions>) =>
  observedClient({ timeouts: { total: 60, attempt: 40 }, retries: 0, ...options });

const halfAnswered: typeof fetch = async () => {
  const body = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new TextEncoder().encode('{"')) });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
};
const halfRefused: typeof fetch = async (...args) => {
  const { body } = await halfAnswered(...args);
  return new Response(body, { status: 409 });
};

test.each<[string, Partial<EaasClientOptions>]>([
  ['the function that returns the API key hangs', { apiKey: () => never }],
  ['no response arrives, and `fetch` ignores its signal', { fetch: () => never }],
  ['a response stops in its middle, and `fetch` ignores its signal', { fetch: halfAnswered }],
  ['an error response stops in its middle, and `fetch` ignores its signal', { fetch: halfRefused }],
])('a call ends at its deadline although %s', async (_, options) => {
  const { client } = await setUp(options);
  const calls = [client.keys.page(), client.encrypt('x'), client.hash('x')];
  for (const error of await Promise.all(calls.map(failureOf))) {
    expect(error).toMatchObject({ name: 'ServiceError', code: 'timeout', retryable: true });
  }
});

test('an aborted signal ends a call that waits for its API key', async () => {
  const { client } = await setUp({ apiKey: () => never, timeouts: {} });
  const controller = new AbortController();
  const calls = [client.keys.page({}, controller), client.encrypt('x', controller)];
  controller.abort('enough');
  for (const error of await Promise.all(calls.map(failureOf))) {
    expect(error).toMatchObject({ code: 'aborted' });
  }
});

test('a call with many values adds few listeners to its signal, and the signal aborts every value', async () => {
  const { client: writer, make } = await observedClient({ cache: { encrypt: false } });
  const values = Array.from({ length: 20 }, (_, n) => `${n}`);
  const ciphertexts = valuesOf(await writer.encryptMany(values));
  const client = make({ fetch: () => never });
  const fields = defineFields({ users: { email: field.text().searchable() } }).for(client, {
    index: 'service',
  });
  const rows = values.map((email) => ({ email }));
  const controller = new AbortController();
  const { signal } = controller;
  const many = [
    client.encryptMany(values, { signal }),
    client.decryptMany(ciphertexts, { signal }),
    client.rewrapMany(ciphertexts, { signal }),
  ];
  const single = [
    client.prime({ ciphertexts, signal }),
    fields.encryptRows('users', rows, (row) => row.email, { signal }),
    ...values.map((value) => client.wrap(new Uint8Array(32).fill(Number(value)), { signal })),
    ...values.map(() => client.usage({}, { signal })),
  ].map(failureOf);
  await expect.poll(() => getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
  expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(10);
  controller.abort();
  for (const results of await Promise.all<Settled<unknown>[]>(many)) {
    expect(outcomesOf(results)).toEqual(values.map(() => 'aborted'));
  }
  for (const error of await Promise.all(single)) expect(error).toMatchObject({ code: 'aborted' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('after one call with a signal has ended, the signal can still abort another call', async () => {
  const { client, make } = await setUp({ timeouts: {} });
  const controller = new AbortController();
  const { signal } = controller;
  const key = new Uint8Array(32);
  const hanging = make({ fetch: () => never });
  const waiting = failureOf(hanging.wrap(key, { signal }));
  await client.wrap(key, { signal });
  controller.abort();
  expect(await waiting).toMatchObject({ code: 'aborted' });
});

test('a call with an aborted signal throws `aborted` without a request, even with a cached data key', async () => {
  const { client, service, keyId } = await observedClient();
  const ciphertext = await client.encrypt('x');
  await client.decrypt(ciphertext);
  const wrapped = await client.wrap(new Uint8Array(32));
  const asked = service.requests.length;
  for (const reason of [undefined, null, 'enough', new Error('enough')]) {
    const signal = AbortSignal.abort(reason);
    const calls = [
      client.encrypt('x', { signal }),
      client.encrypt('x', { signal, fresh: true }),
      client.decrypt(ciphertext, { signal }),
      client.hash('x', { signal }),
      client.wrap(new Uint8Array(32), { signal }),
      client.unwrap(wrapped, { signal }),
      client.rewrap(ciphertext, { signal }),
      client.keys.get(keyId, {}, { signal }),
      client.usage({}, { signal }),
      client.prime({ signal, ciphertexts: [ciphertext], scope: 'another' }),
      client.prime({ signal, scope: 'another' }),
    ];
    for (const error of await Promise.all(calls.map(failureOf))) {
      expect(error).toMatchObject({ code: 'aborted' });
    }
    const many = [
      client.encryptMany(['x', 'y'], { signal }),
      client.decryptMany([ciphertext, ciphertext], { signal }),
      client.rewrapMany([ciphertext, ciphertext], { signal }),
    ];
    for (const results of await Promise.all<Settled<unknown>[]>(many)) {
      expect(outcomesOf(results)).toEqual(['aborted', 'aborted']);
    }
  }
  await arrivals();
  expect(service.requests).toHaveLength(asked);
});

test('a client accepts an infinite deadline', async () => {
  const { client } = await setUp({ timeouts: { total: Infinity, attempt: Infinity } });
  expect(await client.hash('x')).toHaveLength(64);
});

test('a client accepts an API key that ends with a line break, as the content of a file often does', async () => {
  const { service, make } = await observedClient();
  expect(await make({ apiKey: `${service.apiKey}\n` }).hash('x')).toHaveLength(64);
});

test('a call that waits in the queue ends at its deadline', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { client } = await setUp({ fetch: () => never, timeouts: { total: 300 } });
  const times: number[] = [];
  for (let nth = 0; nth < 10; nth++) {
    const start = Date.now();
    void failureOf(client.hash('x')).then(() => times.push(Date.now() - start));
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(times).toEqual(Array(10).fill(300));
  vi.useRealTimers();
});
