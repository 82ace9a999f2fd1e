import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  all,
  observedClient,
  outcomesOf,
  range,
  routesOf,
  valuesOf,
  watchedEngine,
} from '../../test/observed-client.ts';
import { platformEngines } from '../engines/engines.ts';

const minute = 60_000;

afterEach(() => void vi.useRealTimers());

describe('data keys for decryption', () => {
  test('a data key that leaves the cache because of `maxEntries` is overwritten after its last use', async () => {
    const { client, make } = await observedClient();
    const bundles = valuesOf(await client.encryptMany(range(50).map(String), { fresh: true }));
    const watched = watchedEngine();
    const reader = make({ cache: { decrypt: { maxEntries: 10 } }, engines: watched.engines });
    const texts = await Promise.all(bundles.map((bundle) => reader.decrypt(bundle, { as: 'text' })));
    expect(texts).toEqual(range(50).map(String));
    expect(watched.keys).toHaveLength(50);
    expect(watched.live()).toHaveLength(10);
    await reader.close();
    expect(watched.live()).toEqual([]);
  });

  test('expired data keys are overwritten even if no further call follows', async () => {
    vi.useFakeTimers();
    const watched = watchedEngine();
    const { client } = await observedClient({ engines: watched.engines });
    const ciphertext = await client.encrypt('x');
    await client.decrypt(ciphertext);
    expect(watched.live()).toHaveLength(2);
    vi.advanceTimersByTime(5 * minute);
    expect(watched.live()).toEqual([]);
  });

  test('with `decrypt: false`, each decryption fetches its data key', async () => {
    const { service, client, make } = await observedClient();
    const ciphertext = await client.encrypt('x');
    const reader = make({ cache: { decrypt: false } });
    await Promise.all([reader.decrypt(ciphertext), reader.decrypt(ciphertext)]);
    await reader.decrypt(ciphertext);
    expect(await all(client.audit.list({ action: 'key.unwrap' }))).toHaveLength(3);
    expect(routesOf(service)).toContain('batch/unwrap');
  });

  test.each([
    ['at once', undefined],
    ['later', platformEngines()],
  ])('decryptMany opens the items beside altered ones and one that is none, %s', async (_, engines) => {
    const { client, make } = await observedClient();
    const ciphertexts = valuesOf(await client.encryptMany(['0', '1', '2', '3']));
    const stored = ciphertexts.map((each) => Buffer.from(each, 'base64'));
    stored[1]?.fill(7, 40); // the wrapped key
    stored[2]?.fill(7, 150); // the value
    const results = await make({ engines }).decryptMany([...stored, 'no ciphertext'], { as: 'text' });
    expect(outcomesOf(results)).toEqual(['0', 'decryption', 'decryption', '3', 'format']);
  });

  test('decryptMany judges each item by its own header, whatever the item before was', async () => {
    const { service, client } = await observedClient();
    const { key_id: keyId } = await service.createKey('other');
    const own = await client.encrypt('own');
    const ofPerson = await client.encrypt('of a person', { subject: 'patient-1' });
    const ofKey = await client.encrypt('of another key', { keyId });
    const items = [own, ofPerson, own, ofKey, own, own];
    for (const inMemory of [false, true]) {
      if (inMemory) await client.prime({ ciphertexts: [own] });
      const results = await client.decryptMany(items, { as: 'text' });
      expect(outcomesOf(results)).toEqual(['own', 'input', 'own', 'decryption', 'own', 'own']);
    }
  });

  test('the client sends no request for a truncated ciphertext, even after it decrypted the complete ciphertext', async () => {
    const { service, client, make } = await observedClient();
    const ciphertext = await client.encrypt('x', { as: 'bytes' });
    const reader = make({ cache: { decrypt: false } });
    await reader.decrypt(ciphertext);
    const before = service.requests.length;
    for (let length = ciphertext.length - 2; length >= 0; length--) {
      const [result] = await reader.decryptMany([ciphertext.subarray(0, length)]);
      expect(result).toMatchObject({ error: { code: 'format' } });
    }
    expect(service.requests).toHaveLength(before);
  });

  test('an aborted decryptMany still decrypts the values whose data key is in memory', async () => {
    const { service, client, make } = await observedClient();
    const [known, other] = valuesOf(await client.encryptMany(['a', 'b'], { fresh: true }));
    if (!known || !other) throw new Error('no ciphertexts');
    const watched = watchedEngine();
    const reader = make({ engines: watched.engines });
    await reader.decrypt(known);
    const before = service.requests.length;
    const controller = new AbortController();
    const { signal } = controller;
    const removed = vi.spyOn(signal, 'removeEventListener');
    const many = reader.decryptMany([known, other, other], { as: 'text', signal });
    const single = reader.decrypt(other, { as: 'text' });
    controller.abort();
    expect(outcomesOf(await many)).toEqual(['a', 'aborted', 'aborted']);
    expect(removed).toHaveBeenCalledOnce();
    expect(await single).toBe('b');
    expect(routesOf(service).slice(before)).toEqual(['keys/:key_id/unwrap']);
    await reader.close();
    expect(watched.keys).toHaveLength(2);
    expect(watched.live()).toEqual([]);
  });

  test('after a decryptMany timed out, the next decryptMany requests the data keys again', async () => {
    const { service, client, make } = await observedClient();
    const ciphertexts = valuesOf(await client.encryptMany(['a', 'b'], { fresh: true }));
    let hangs = true;
    const silent: typeof fetch = (input, init) =>
      hangs ? new Promise(() => undefined) : service.fetch(input, init);
    const reader = make({ fetch: silent, retries: 0, timeouts: { total: 60 } });
    expect(outcomesOf(await reader.decryptMany(ciphertexts))).toEqual(['timeout', 'timeout']);
    hangs = false;
    expect(valuesOf(await reader.decryptMany(ciphertexts, { as: 'text' }))).toEqual(['a', 'b']);
  });

  test('a data key is unwrapped only with its wrap context', async () => {
    const { client } = await observedClient();
    const wrapContext = { user: '1' };
    const ciphertext = await client.encrypt('x', { wrapContext });
    expect(await client.decrypt(ciphertext, { as: 'text', wrapContext })).toBe('x');
    for (const other of [undefined, { user: '2' }]) {
      const opening = client.decrypt(ciphertext, { wrapContext: other });
      await expect(opening).rejects.toMatchObject({ code: 'decryption' });
    }
  });
});

test('decryptMany unwraps each data key once, even if the cache cannot hold all data keys', async () => {
  const { service, client, make } = await observedClient();
  const ciphertexts = valuesOf(await client.encryptMany(range(1_001).map(String), { fresh: true }));
  const rows = [...ciphertexts, ...ciphertexts];
  const before = service.requests.length;
  const reader = make({ cache: { decrypt: { maxEntries: 1 } } });
  const texts = valuesOf(await reader.decryptMany(rows, { as: 'text' }));
  expect(texts).toEqual([...range(1_001), ...range(1_001)].map(String));
  expect(service.requests.slice(before).map(({ items = 1 }) => items)).toEqual([1_000, 1]);
});
