import { nobleEngine } from '@eaas/protocol';
import { afterEach, expect, test, vi } from 'vitest';
import { EaasClient, type EaasClientOptions } from './index.ts';
import { createTestService } from './testing/testing.ts';

const second = 1_000;
const minute = 60 * second;
const realSetTimeout = setTimeout;

/** Lets what is under way arrive, while the clock stands still. */
const arrivals = (): Promise<void> => new Promise((resolve) => realSetTimeout(resolve, 20));
const pass = async (milliseconds: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await arrivals();
};

function setUp(options: Partial<EaasClientOptions> = {}) {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  return { service, client: new EaasClient({ ...service, keyId, retries: 0, ...options }) };
}

afterEach(() => void vi.useRealTimers());

test('a data key that is kept is renewed in its time, however many have come and gone before', async () => {
  const { client, service } = setUp({ cache: { encrypt: { messages: 10 } } });
  await client.prime({ keep: true });
  // 1,000 messages need 100 data keys, and each begins a time of its own.
  await client.encryptMany(Array.from({ length: 1_000 }, String));
  await pass(minute);
  const before = service.requests.length;
  for (let at = 0; at < 20; at++) await pass(minute);
  // Each 4 minutes one.
  expect(service.requests.length - before).toBeLessThanOrEqual(6);
  expect(client.encryptSync('x').ciphertext).toMatch(/^eaas/);
});

test('a data key that was there before it was to be kept is renewed in its time too', async () => {
  const { client } = setUp();
  await client.encrypt('x');
  await pass(3 * minute);
  await client.prime({ keep: true });
  for (let at = 0; at < 10; at++) {
    await pass(minute);
    expect(client.encryptSync('x').ciphertext).toMatch(/^eaas/);
  }
});

test('a data key that could not be made ready is not asked for again and again', async () => {
  const { client, service } = setUp();
  service.failNext('key_state');
  await expect(client.prime({ keep: true })).rejects.toMatchObject({ code: 'key_state' });
  await pass(10 * minute);
  expect(service.requests).toHaveLength(1);
});

test('a data key that is kept is there again when the service is, however short its time', async () => {
  const { client, service } = setUp({ cache: { encrypt: { milliseconds: 10 * second } } });
  await client.prime({ keep: true });
  service.failNext('unavailable', { times: 30 });
  for (let at = 0; at < 100; at++) await pass(second / 2);
  expect(client.encryptSync('x').ciphertext).toMatch(/^eaas/);
});

test('nothing is left waiting of data keys that went, nor after the client was closed', async () => {
  const { client } = setUp({ cache: { encrypt: { messages: 2 }, decrypt: { entries: 5 } } });
  await client.prime({ keep: true });
  const bundles = await client.encryptMany(Array.from({ length: 100 }, String));
  await client.decryptMany(bundles.map((bundle) => (bundle.ok ? bundle.value : '')));
  await arrivals();
  // One for each data key that is in memory, and one for the renewal.
  expect(vi.getTimerCount()).toBeLessThanOrEqual(7);
  await client.close();
  await arrivals();
  expect(vi.getTimerCount()).toBe(0);
});

test('a data key that arrives in the very moment of closing is overwritten', async () => {
  const keys: Uint8Array[] = [];
  const importKey = (key: Uint8Array): Uint8Array => {
    const own = nobleEngine.importKey(key);
    keys.push(own);
    return own;
  };
  const fields = { ...nobleEngine, importKey };
  for (let microtasks = 0; microtasks < 20; microtasks++) {
    const closing: { client?: EaasClient } = {};
    const { client } = setUp({
      engines: { fields, sync: fields },
      onEvent({ type }) {
        let moment = Promise.resolve();
        for (let at = 0; at < microtasks; at++) moment = moment.then(() => undefined);
        if (type === 'data_key.minted') void moment.then(() => closing.client?.close());
      },
    });
    closing.client = client;
    await client.encrypt('x').catch(() => undefined);
    await arrivals();
  }
  expect(keys).toHaveLength(20);
  expect(keys.every((key) => key.every((byte) => byte === 0))).toBe(true);
});
