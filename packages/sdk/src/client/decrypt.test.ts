import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { observedClient, range, routesOf, watchedEngine } from '../../test/observed-client.ts';
import { some } from '@eaas/test-kit/cases';
import type { Bundle } from '../index.ts';

const minute = 60_000;

afterEach(() => void vi.useRealTimers());

describe('data keys for decryption', () => {
  test('1,000 concurrent decryptions under one data key send one request', async () => {
    const { service, client, make } = observedClient();
    const { ciphertext } = await client.encrypt('a secret');
    const before = service.requests.length;
    const reader = make();
    const texts = await Promise.all(range(1_000).map(() => reader.decrypt(ciphertext, { as: 'text' })));
    expect(new Set(texts)).toEqual(new Set(['a secret']));
    expect(routesOf(service).slice(before)).toEqual(['keys/:key_id/unwrap']);
  });

  test('a data key that leaves the cache because of `maxEntries` is overwritten after its last use', async () => {
    const { client, make } = observedClient();
    const bundles = await Promise.all(range(50).map((n) => client.encrypt(`${n}`, { fresh: true })));
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
    const { client } = observedClient({ engines: watched.engines });
    const { ciphertext } = await client.encrypt('x');
    await client.decrypt(ciphertext);
    expect(watched.live()).toHaveLength(2);
    vi.advanceTimersByTime(5 * minute);
    expect(watched.live()).toEqual([]);
  });

  test('with `decrypt: false`, each decryption fetches its data key', async () => {
    const { service, client, make } = observedClient();
    const { ciphertext } = await client.encrypt('x');
    const reader = make({ cache: { decrypt: false } });
    await Promise.all([reader.decrypt(ciphertext), reader.decrypt(ciphertext)]);
    await reader.decrypt(ciphertext);
    const unwraps: number[] = [];
    for await (const { id } of client.audit.list({ action: 'key.unwrap' })) unwraps.push(id);
    expect(unwraps).toHaveLength(3);
    expect(routesOf(service)).toContain('batch/unwrap');
  });

  test('decryptMany decrypts the other items if one is altered and one is not a ciphertext', async () => {
    const { client, make } = observedClient();
    const bundles = await Promise.all(range(3).map((n) => client.encrypt(`${n}`, { fresh: true })));
    const altered = Buffer.from(bundles[1]?.ciphertext ?? '', 'base64');
    altered[40] = (altered[40] ?? 0) ^ 1;
    const items = [bundles[0]?.ciphertext ?? '', altered, 'no ciphertext', bundles[2]?.ciphertext ?? ''];
    const results = await make().decryptMany(items);
    expect(results.map((result) => (result.ok ? 'opened' : result.error.code))).toEqual([
      'opened',
      'decryption',
      'format',
      'opened',
    ]);
  });

  test('the client sends no request for a truncated ciphertext, even after it decrypted the complete ciphertext', async () => {
    const { service, client, make } = observedClient();
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
    const { service, client, make } = observedClient();
    const [known, other] = await Promise.all(
      ['a', 'b'].map(async (value) => (await client.encrypt(value, { fresh: true })).ciphertext),
    );
    if (!known || !other) throw new Error('no ciphertexts');
    const watched = watchedEngine();
    const reader = make({ engines: watched.engines });
    await reader.decrypt(known);
    const before = service.requests.length;
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const many = reader.decryptMany([known, other, other], controller);
    const single = reader.decrypt(other, { as: 'text' });
    controller.abort();
    expect(await many).toMatchObject([
      { ok: true },
      { ok: false, error: { code: 'aborted' } },
      { ok: false, error: { code: 'aborted' } },
    ]);
    expect(removed).toHaveBeenCalledOnce();
    expect(await single).toBe('b');
    expect(routesOf(service).slice(before)).toEqual(['keys/:key_id/unwrap']);
    await reader.close();
    expect(watched.keys).toHaveLength(2);
    expect(watched.live()).toEqual([]);
  });

  test('after a decryptMany timed out, the next decryptMany requests the data keys again', async () => {
    const { service, client, make } = observedClient();
    const sealed = await client.encryptMany(['a', 'b'], { fresh: true });
    const ciphertexts = sealed.map((result) => (result.ok ? result.value : ''));
    let hangs = true;
    const silent: typeof fetch = (input, init) =>
      hangs ? new Promise(() => undefined) : service.fetch(input, init);
    const reader = make({ fetch: silent, retries: 0, timeouts: { total: 60 } });
    const failed = await reader.decryptMany(ciphertexts);
    expect(failed.map((result) => !result.ok && result.error.code)).toEqual(['timeout', 'timeout']);
    hangs = false;
    expect(await reader.decryptMany(ciphertexts)).toMatchObject([{ ok: true }, { ok: true }]);
  });

  test('values of all scopes are decrypted without naming the scope, with one unwrap per data key', async () => {
    const { service, client } = observedClient();
    for (const scope of ['a', 'b']) {
      const { ciphertext } = await client.encrypt('x', { scope });
      expect(await client.decrypt(ciphertext, { as: 'text' })).toBe('x');
      await client.decrypt(ciphertext);
    }
    expect(routesOf(service).filter((route) => route.endsWith('unwrap'))).toHaveLength(2);
  });

  test('a data key is unwrapped only with its wrap context', async () => {
    const { client } = observedClient();
    const wrapContext = { user: '1' };
    const { ciphertext } = await client.encrypt('x', { wrapContext });
    expect(await client.decrypt(ciphertext, { as: 'text', wrapContext })).toBe('x');
    for (const other of [undefined, { user: '2' }]) {
      const opening = client.decrypt(ciphertext, { wrapContext: other });
      await expect(opening).rejects.toMatchObject({ code: 'decryption' });
    }
  });
});

describe('decrypting under 1,001 data keys', () => {
  const { service, client, make } = observedClient();
  let bundles: Bundle[];
  beforeAll(async () => {
    bundles = await Promise.all(range(1_001).map((n) => client.encrypt(`${n}`, { fresh: true })));
  });

  test('1,000 concurrent decryptions under 1,000 data keys send one batch', async () => {
    const before = service.requests.length;
    const reader = make();
    const texts = await Promise.all(
      bundles.slice(0, 1_000).map((bundle) => reader.decrypt(bundle, { as: 'text' })),
    );
    expect(texts).toEqual(range(1_000).map(String));
    expect(routesOf(service).slice(before)).toEqual(['batch/unwrap']);
  });

  test('decrypting 3,000 rows under 1,000 data keys sends one request', async () => {
    const rows = range(3_000).map((n) => bundles[n % 1_000]?.ciphertext ?? '');
    const before = service.requests.length;
    const reader = make();
    for (const expected of [['batch/unwrap'], ['batch/unwrap']]) {
      const results = await reader.decryptMany(rows);
      const texts = results.map((result) => result.ok && Buffer.from(result.value).toString());
      expect(texts.join()).toBe(
        range(3_000)
          .map((n) => `${n % 1_000}`)
          .join(),
      );
      expect(routesOf(service).slice(before)).toEqual(expected);
    }
  });

  const caches = ['server', 'serverless', 'browser', { decrypt: { maxEntries: 1 } }] as const;
  test.each(some(2, caches))(
    'decryptMany unwraps each data key once, even if the cache cannot hold all data keys (cache %j)',
    async (cache) => {
      const rows = range(2_002).map((n) => bundles[n % 1_001]?.ciphertext ?? '');
      const before = service.requests.length;
      const results = await make({ cache }).decryptMany(rows);
      const texts = results.map((result) => result.ok && Buffer.from(result.value).toString());
      expect(texts.join()).toBe(
        range(2_002)
          .map((n) => `${n % 1_001}`)
          .join(),
      );
      const unwraps = service.requests.slice(before).map(({ items = 1 }) => items);
      expect(unwraps).toEqual([1_000, 1]);
    },
  );
});

test('`prime` throws without a request if a ciphertext is not under the expected key', async () => {
  const { service, client, make } = observedClient();
  const { key_id: keyId } = service.createKey('other');
  const { ciphertext } = await client.encrypt('x', { keyId });
  const before = service.requests.length;
  const reader = make();
  await expect(reader.prime({ ciphertexts: [ciphertext] })).rejects.toMatchObject({ code: 'decryption' });
  expect(service.requests).toHaveLength(before);
  await reader.prime({ ciphertexts: [ciphertext], keyId });
  expect(reader.decryptSync(ciphertext, { as: 'text', keyId })).toBe('x');
});

test('priming with an aborted signal sends no request', async () => {
  const { service, client, make } = observedClient();
  const { ciphertext } = await client.encrypt('x');
  const before = service.requests.length;
  for (const options of [{}, { ciphertexts: [ciphertext] }]) {
    const priming = make().prime({ ...options, signal: AbortSignal.abort() });
    await expect(priming).rejects.toMatchObject({ code: 'aborted' });
  }
  expect(service.requests).toHaveLength(before);
});
