import { expect, test, vi } from 'vitest';
import { EaasClient, type EaasClientOptions, EaasError, InputError } from './index.ts';
import { createTestService } from './testing/testing.ts';

/** What a call throws, however it ends. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );

const never = new Promise<never>(() => undefined);

function setUp(options: Partial<EaasClientOptions>) {
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  const timeouts = { total: 60, attempt: 40 };
  return { keyId, client: new EaasClient({ ...service, keyId, timeouts, retries: 0, ...options }) };
}

/** An answer that begins, and does not go on; its `fetch` knows nothing of signals. */
const halfAnswered: typeof fetch = async () => {
  const body = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new TextEncoder().encode('{"')) });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
};
const halfRefused: typeof fetch = async (...args) => {
  const { body } = await halfAnswered(...args);
  return new Response(body, { status: 409 });
};

test.each<[string, Partial<EaasClientOptions>]>([
  ['the function that answers the API key hangs', { apiKey: () => never }],
  ['nothing is answered, and no signal heard', { fetch: () => never }],
  ['an answer stops in its middle, and no signal is heard', { fetch: halfAnswered }],
  ['a refusal stops in its middle, and no signal is heard', { fetch: halfRefused }],
])('the deadline of a call holds though %s', async (_, options) => {
  const { client } = setUp(options);
  const calls = [client.keys.list(), client.encrypt('x'), client.hash('x')];
  for (const error of await Promise.all(calls.map(failureOf))) {
    expect(error).toMatchObject({ name: 'EaasError', code: 'timeout', retryable: true });
  }
});

test('a signal ends a call whose API key never comes', async () => {
  const { client } = setUp({ apiKey: () => never, timeouts: {} });
  const controller = new AbortController();
  const calls = [client.keys.list({}, controller), client.encrypt('x', controller)];
  controller.abort('enough');
  for (const error of await Promise.all(calls.map(failureOf)))
    expect(error).toMatchObject({ code: 'aborted' });
});

test('a signal that outlives its calls keeps no listener of theirs', async () => {
  const { client } = setUp({ timeouts: {} });
  const { signal } = new AbortController();
  let listeners = 0;
  vi.spyOn(signal, 'addEventListener').mockImplementation(() => void listeners++);
  vi.spyOn(signal, 'removeEventListener').mockImplementation(() => void listeners--);
  const { ciphertext } = await client.encrypt('x', { signal });
  await client.decrypt(ciphertext, { signal });
  await client.encrypt('x', { signal, fresh: true });
  await Promise.all([client.hash('x', { signal }), client.hash('y', { signal })]);
  await client.keys.list({}, { signal });
  await failureOf(client.keys.get({ key_id: 'none' }, { signal }));
  expect(listeners).toBe(0);
});

test('an aborted signal refuses every call, whatever is in memory', async () => {
  const { client, keyId } = setUp({ timeouts: {} });
  const { ciphertext } = await client.encrypt('x');
  await client.decrypt(ciphertext);
  const wrapped = await client.wrap(new Uint8Array(32));
  for (const reason of [undefined, null, 'enough', new Error('enough')]) {
    const signal = AbortSignal.abort(reason);
    const calls = [
      client.encrypt('x', { signal }),
      client.encrypt('x', { signal, fresh: true }),
      client.encryptBytes('x', { signal }),
      client.decrypt(ciphertext, { signal }),
      client.decryptText(ciphertext, { signal }),
      client.hash('x', { signal }),
      client.wrap(new Uint8Array(32), { signal }),
      client.unwrap(wrapped, { signal }),
      client.rewrap(ciphertext, { signal }),
      client.keys.get({ key_id: keyId }, { signal }),
      client.usage({}, { signal }),
      client.prime({ signal, ciphertexts: [ciphertext], scope: 'another' }),
    ];
    for (const error of await Promise.all(calls.map(failureOf)))
      expect(error).toMatchObject({ code: 'aborted' });
    const many = [
      client.encryptMany(['x', 'y'], { signal }),
      client.decryptMany([ciphertext, ciphertext], { signal }),
      client.hashMany(['x', 'y'], { signal }),
      client.rewrapMany([ciphertext, ciphertext], { signal }),
    ];
    for (const results of await Promise.all<readonly unknown[]>(many)) {
      const refused = expect.objectContaining({ error: expect.objectContaining({ code: 'aborted' }) });
      expect(results).toEqual([refused, refused]);
    }
  }
});

test('a deadline may be any time away', async () => {
  const { client } = setUp({ timeouts: { total: Infinity, attempt: Infinity } });
  expect(await client.hash('x')).toHaveLength(64);
});

test.each(['eaas_sk_1\neaas_sk_2', 'eaas_sk_é', 'Bearer eaas_sk_1', ''])(
  'an API key that cannot be sent is told as that, and not shown: %j',
  async (apiKey) => {
    const { client } = setUp({ apiKey });
    const error = await failureOf(client.hash('x'));
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).not.toContain('eaas_sk_');
  },
);

test('an API key may have a line end behind it, as it has in a file', async () => {
  const { apiKey, ...service } = createTestService();
  const client = new EaasClient({ ...service, apiKey: `${apiKey}\n` });
  expect(await failureOf(client.hash('x', { keyId: 'none' }))).toMatchObject({ code: 'not_found' });
  expect(await failureOf(client.hash('x', { keyId: 'none' }))).toBeInstanceOf(EaasError);
});
