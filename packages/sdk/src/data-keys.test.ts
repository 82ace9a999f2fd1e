import { nobleEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { EaasClient, type EaasClientOptions, type EaasEvent, EaasError, InputError } from './index.ts';
import { createTestService, type TestService } from './testing/testing.ts';

const minute = 60_000;
const realSetTimeout = setTimeout;

function setUp(options: Partial<EaasClientOptions> = {}) {
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  const events: EaasEvent[] = [];
  const make = (more: Partial<EaasClientOptions> = {}): EaasClient =>
    new EaasClient({ ...service, keyId, onEvent: (event) => events.push(event), ...options, ...more });
  return { service, keyId, events, make, client: make() };
}

/** The routes that were asked for, less their prefix. */
const routesOf = ({ requests }: TestService): string[] =>
  requests.map(({ route }) => (route ?? '').replace(/^\w+ \/v1\//, ''));
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

afterEach(() => void vi.useRealTimers());

describe('the data key that encrypts', () => {
  test('is made once, however many calls wait for it, and used for all of them', async () => {
    const { service, client } = setUp();
    const bundles = await Promise.all(range(1_000).map((n) => client.encrypt(`value ${n}`)));
    expect(routesOf(service)).toEqual(['keys/:key_id/wrap']);
    expect(new Set(bundles.map((bundle) => bundle.wrapped_key)).size).toBe(1);
    expect(new Set(bundles.map((bundle) => bundle.iv)).size).toBe(1_000);
  });

  test('is replaced after as many messages as it may encrypt; those needed at once are fetched together', async () => {
    const { client, service } = setUp({ cache: { encrypt: { messages: 10 } } });
    const results = await client.encryptMany(range(30_005).map(String));
    const uses = new Map<string, number>();
    for (const result of results) {
      if (!result.ok) throw result.error;
      const { wrapped_key } = result.value;
      uses.set(wrapped_key, (uses.get(wrapped_key) ?? 0) + 1);
    }
    expect(Math.max(...uses.values())).toBe(10);
    expect(uses.size).toBe(3_001);
    expect(routesOf(service)).toEqual([...Array(3).fill('batch/wrap'), 'keys/:key_id/wrap']);
    // The last of them has room for five more.
    for (let n = 0; n < 5; n++) expect(uses.has((await client.encrypt('x')).wrapped_key)).toBe(true);
    expect(uses.has((await client.encrypt('x')).wrapped_key)).toBe(false);
  });

  test('is replaced after as many bytes; a value that is larger than that has one of its own', async () => {
    const { client } = setUp({ cache: { encrypt: { bytes: 100 } } });
    const lengths = [60, 60, 500, 10, 10];
    const keys: string[] = [];
    for (const length of lengths) keys.push((await client.encrypt(new Uint8Array(length))).wrapped_key);
    expect(new Set(keys).size).toBe(4);
    expect(keys[3]).toBe(keys[4]);
  });

  test('is replaced when it is old, and the next is fetched ahead of that, without a pause', async () => {
    vi.useFakeTimers();
    const { events, client } = setUp();
    const { wrapped_key: first } = await client.encrypt('a');
    vi.setSystemTime(Date.now() + 4.1 * minute);
    // Past four fifths of its time the present one still serves, and the next is on its way.
    expect((await client.encrypt('b')).wrapped_key).toBe(first);
    await vi.waitFor(() => expect(events.filter(({ type }) => type === 'data_key.minted')).toHaveLength(2));
    const { wrapped_key: second } = await client.encrypt('c');
    expect(second).not.toBe(first);
    vi.setSystemTime(Date.now() + 5 * minute);
    expect((await client.encrypt('d')).wrapped_key).not.toBe(second);
  });

  test('serves on when the next cannot be fetched, until its own time is over', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { service, client, events } = setUp({ retries: 0 });
    const { wrapped_key: first } = await client.encrypt('a');
    service.failNext('unavailable', { times: 10 });
    vi.setSystemTime(Date.now() + 4.5 * minute);
    for (const value of ['b', 'c', 'd']) expect((await client.encrypt(value)).wrapped_key).toBe(first);
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('data_key.refresh_failed'));
    expect(service.requests).toHaveLength(2);
    vi.setSystemTime(Date.now() + minute);
    await expect(client.encrypt('e')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is one for each key, scope and wrap context', async () => {
    const { service, client } = setUp();
    const other = service.createKey('other').key_id;
    const partitions = [
      {},
      { keyId: other },
      { scope: 'a' },
      { scope: 'b' },
      { wrapContext: { user: '1' } },
      { wrapContext: { user: '2' } },
      { scope: 'a', wrapContext: { user: '1' } },
    ];
    const twice = [...partitions, ...partitions];
    const bundles = await Promise.all(twice.map((partition) => client.encrypt('x', partition)));
    const keys = bundles.map((bundle) => bundle.wrapped_key);
    expect(new Set(keys).size).toBe(partitions.length);
    expect(keys.slice(partitions.length)).toEqual(keys.slice(0, partitions.length));
    expect(routesOf(service)).toEqual(['batch/wrap']);
  });

  test('is a new one for a message that asks for its own, or for each when that is how the client was made', async () => {
    const { service, client, make } = setUp();
    const fresh = await Promise.all(range(5).map(() => client.encrypt('x', { fresh: true })));
    expect(new Set(fresh.map((bundle) => bundle.wrapped_key)).size).toBe(5);
    expect(routesOf(service)).toEqual(['batch/wrap']);
    const each = await make({ cache: { encrypt: false } }).encryptMany(['x', 'y']);
    const keys = each.map((result) => result.ok && result.value.wrapped_key);
    expect(new Set(keys).size).toBe(2);
  });

  test('fails all that wait for it, and the next call asks again', async () => {
    const { service, client } = setUp();
    service.failNext('key_state');
    const results = await client.encryptMany(['x', 'y']);
    expect(results.map((result) => !result.ok && result.error.code)).toEqual(['key_state', 'key_state']);
    expect((await client.encrypt('x')).ciphertext).toMatch(/^eaas/);
  });

  test('is refused when the service wrapped it under another key than the one that was named', async () => {
    const { service, keyId, make } = setUp();
    const other = service.createKey('other').key_id;
    const swapped: typeof fetch = (input, init) => {
      const { url } = input as Request;
      return service.fetch(new Request(url.replace(keyId, other), input as Request), init);
    };
    await expect(make({ fetch: swapped }).encrypt('x')).rejects.toMatchObject({ code: 'invalid_response' });
  });
});

describe('the data keys that decrypt', () => {
  test('of one data key, 1,000 decrypts at once are one request', async () => {
    const { service, client, make } = setUp();
    const { ciphertext } = await client.encrypt('a secret');
    const before = service.requests.length;
    const reader = make();
    const texts = await Promise.all(range(1_000).map(() => reader.decryptText(ciphertext)));
    expect(new Set(texts)).toEqual(new Set(['a secret']));
    expect(routesOf(service).slice(before)).toEqual(['keys/:key_id/unwrap']);
  });

  test('of 1,000 data keys, 1,000 decrypts at once are one batch', async () => {
    const { service, client, make } = setUp();
    const bundles = await Promise.all(range(1_000).map((n) => client.encrypt(`${n}`, { fresh: true })));
    const before = service.requests.length;
    const reader = make();
    const texts = await Promise.all(bundles.map((bundle) => reader.decryptText(bundle)));
    expect(texts).toEqual(range(1_000).map(String));
    expect(routesOf(service).slice(before)).toEqual(['batch/unwrap']);
  });

  test('10,000 rows under 1,000 data keys are one request, and none the second time', async () => {
    const { service, client, make } = setUp();
    const written = await Promise.all(range(1_000).map((n) => client.encrypt(`${n}`, { fresh: true })));
    const rows = range(10_000).map((n) => written[n % 1_000]?.ciphertext ?? '');
    const before = service.requests.length;
    const reader = make();
    for (const expected of [['batch/unwrap'], ['batch/unwrap']]) {
      const results = await reader.decryptMany(rows);
      const texts = results.map((result) => result.ok && Buffer.from(result.value).toString());
      expect(texts).toEqual(range(10_000).map((n) => `${n % 1_000}`));
      expect(routesOf(service).slice(before)).toEqual(expected);
    }
  });

  test('are no more than may be kept, and those that went are overwritten after their last use', async () => {
    const { client, make } = setUp();
    const bundles = await Promise.all(range(50).map((n) => client.encrypt(`${n}`, { fresh: true })));
    const live = watchedEngine();
    const reader = make({ cache: { decrypt: { entries: 10 } }, engines: live.engines });
    const texts = await Promise.all(bundles.map((bundle) => reader.decryptText(bundle)));
    expect(texts).toEqual(range(50).map(String));
    expect(live.keys).toHaveLength(50);
    expect(live.keys.filter((key) => key.some((byte) => byte !== 0))).toHaveLength(10);
    await reader.close();
    expect(live.keys.every((key) => key.every((byte) => byte === 0))).toBe(true);
  });

  test('are forgotten and overwritten when their time is over, though nobody asks for them', async () => {
    vi.useFakeTimers();
    const live = watchedEngine();
    const { client } = setUp({ engines: live.engines });
    const { ciphertext } = await client.encrypt('x');
    await client.decrypt(ciphertext);
    expect(live.keys.filter((key) => key.some((byte) => byte !== 0))).toHaveLength(2);
    vi.advanceTimersByTime(5 * minute);
    expect(live.keys.every((key) => key.every((byte) => byte === 0))).toBe(true);
  });

  test('are fetched again for each opening where each is to be recorded', async () => {
    const { service, client, make } = setUp();
    const { ciphertext } = await client.encrypt('x');
    const reader = make({ cache: { decrypt: false } });
    await Promise.all([reader.decrypt(ciphertext), reader.decrypt(ciphertext)]);
    await reader.decrypt(ciphertext);
    const unwraps: number[] = [];
    for await (const { id } of client.audit.list({ action: 'key.unwrap' })) unwraps.push(id);
    expect(unwraps).toHaveLength(3);
    expect(routesOf(service)).toContain('batch/unwrap');
  });

  test('fail each for itself: a ciphertext that was altered leaves the others alone', async () => {
    const { client, make } = setUp();
    const bundles = await Promise.all(range(3).map((n) => client.encrypt(`${n}`, { fresh: true })));
    const altered = Buffer.from(bundles[1]?.ciphertext ?? '', 'base64');
    altered[40] = (altered[40] ?? 0) ^ 1; // within the wrapped key
    const items = [bundles[0]?.ciphertext ?? '', altered, 'no ciphertext', bundles[2]?.ciphertext ?? ''];
    const results = await make().decryptMany(items);
    expect(results.map((result) => (result.ok ? 'opened' : result.error.code))).toEqual([
      'opened',
      'decryption',
      'format',
      'opened',
    ]);
  });

  test('are not shared between scopes', async () => {
    const { service, client } = setUp();
    const { ciphertext } = await client.encrypt('x');
    for (const scope of ['a', 'a', 'b']) await client.decrypt(ciphertext, { scope });
    expect(routesOf(service).filter((route) => route.endsWith('unwrap'))).toHaveLength(2);
  });

  test('that are bound to a wrap context open with that one only', async () => {
    const { client } = setUp();
    const wrapContext = { user: '1' };
    const { ciphertext } = await client.encrypt('x', { wrapContext });
    expect(await client.decryptText(ciphertext, { wrapContext })).toBe('x');
    for (const other of [undefined, { user: '2' }]) {
      const opening = client.decrypt(ciphertext, { wrapContext: other });
      await expect(opening).rejects.toMatchObject({ code: 'decryption' });
    }
  });
});

test.each([
  {},
  { dek: 7, key_id: 'k', key_version: 1 },
  { dek: 'AAAA', key_id: 'k', key_version: 1 },
  { results: [null, 'text'] },
  { results: [{}, {}] },
  { results: [{ error: 'no' }, { error: {} }] },
  { results: {} },
  [],
  null,
])('an answer that makes no sense is an error of the service, and of nothing else: %j', async (answer) => {
  const { client, make } = setUp();
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
    expect(result).toMatchObject({ reason: { name: 'EaasError', code: 'invalid_response' } });
  }
});

describe('without a batch endpoint', () => {
  test('the calls go out one by one', async () => {
    const { service, client, make } = setUp();
    const bundles = await Promise.all(range(20).map((n) => client.encrypt(`${n}`, { fresh: true })));
    const asked: string[] = [];
    const older: typeof fetch = async (input, init) => {
      const { url } = input as Request;
      asked.push(new URL(url).pathname.replace(/keys\/.*\//, 'keys/:key_id/'));
      return url.includes('/batch/') ? new Response(null, { status: 404 }) : service.fetch(input, init);
    };
    const reader = make({ fetch: older });
    const texts = await Promise.all(bundles.map((bundle) => reader.decryptText(bundle)));
    expect(texts).toEqual(range(20).map(String));
    await reader.decryptText((await client.encrypt('y', { fresh: true })).ciphertext);
    expect(asked.filter((path) => path.includes('batch'))).toHaveLength(1);
    expect(asked.filter((path) => path.endsWith('/keys/:key_id/unwrap'))).toHaveLength(21);
  });
});

describe('synchronous calls', () => {
  test('find what was primed, and fetch nothing', async () => {
    const { service, client } = setUp();
    await client.prime();
    const bundles = range(10).map((n) => client.encryptSync(`${n}`, { context: { row: `${n}` } }));
    await client.prime({ ciphertexts: bundles });
    const before = service.requests.length;
    const texts = bundles.map((bundle, n) => client.decryptTextSync(bundle, { context: { row: `${n}` } }));
    expect(texts).toEqual(range(10).map(String));
    expect(service.requests).toHaveLength(before);
  });

  test('say what to do when nothing was primed, or when it has expired', async () => {
    vi.useFakeTimers();
    const { service, client } = setUp();
    const { ciphertext } = await client.encrypt('x');
    expect(() => client.decryptSync(ciphertext)).toThrow(/client\.prime/);
    await client.prime({ ciphertexts: [ciphertext] });
    expect(client.decryptTextSync(ciphertext)).toBe('x');
    await client.prime();
    expect(client.encryptSync('y').ciphertext).toMatch(/^eaas/);
    const before = service.requests.length;
    vi.setSystemTime(Date.now() + 6 * minute);
    for (const call of [() => client.encryptSync('y'), () => client.decryptSync(ciphertext)]) {
      expect(call).toThrow(expect.objectContaining({ code: 'not_primed' }));
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(service.requests).toHaveLength(before);
  });

  test('are kept supplied when that was asked for', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { client, service } = setUp();
    await client.prime({ keep: true });
    const keys = new Set<string>();
    for (let at = 0; at < 20; at++) {
      await vi.advanceTimersByTimeAsync(minute);
      await arrivals();
      keys.add(client.encryptSync('x').wrapped_key);
    }
    expect(keys.size).toBe(6);
    await client.close();
    const before = service.requests.length;
    await vi.advanceTimersByTimeAsync(30 * minute);
    await arrivals();
    expect(service.requests).toHaveLength(before);
  });

  test('work beside an asynchronous engine, whose keys cannot be read', async () => {
    const { client } = setUp({
      engines: { fields: webCryptoEngine, sync: nobleEngine, large: webCryptoEngine },
    });
    const { ciphertext } = await client.encrypt('x');
    expect(() => client.encryptSync('y')).toThrow(expect.objectContaining({ code: 'not_primed' }));
    await client.prime({ encrypt: true, ciphertexts: [ciphertext] });
    expect(client.decryptTextSync(ciphertext)).toBe('x');
    const second = client.encryptSync('y');
    expect(await client.decryptText(second)).toBe('y');
  });

  test('cannot be primed where nothing is kept', async () => {
    const { client, make } = setUp();
    const { ciphertext } = await client.encrypt('x');
    await expect(make({ cache: { encrypt: false } }).prime()).rejects.toBeInstanceOf(InputError);
    const keepsNone = make({ cache: { decrypt: false } });
    await expect(keepsNone.prime({ ciphertexts: [ciphertext] })).rejects.toBeInstanceOf(InputError);
  });
});

test('a closed client has overwritten its keys, and refuses every call', async () => {
  const live = watchedEngine();
  const { service, client } = setUp({ engines: live.engines });
  const { ciphertext } = await client.encrypt('x');
  await client.decrypt(ciphertext);
  await client[Symbol.asyncDispose]();
  expect(live.keys).toHaveLength(2);
  expect(live.keys.every((key) => key.every((byte) => byte === 0))).toBe(true);
  const before = service.requests.length;
  const calls = [client.encrypt('x'), client.decrypt(ciphertext), client.hash('x'), client.keys.list()];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ reason: { code: 'closed' } });
  }
  expect(() => client.encryptSync('x')).toThrow(EaasError);
  expect(service.requests).toHaveLength(before);
});

test('a data key that arrives after its client was closed is overwritten too', async () => {
  const live = watchedEngine();
  const { client } = setUp({ engines: live.engines });
  const encrypting = client.encrypt('x');
  await client.close();
  await expect(encrypting).rejects.toMatchObject({ code: 'closed' });
  expect(live.keys.every((key) => key.every((byte) => byte === 0))).toBe(true);
});

test.each([
  { encrypt: { messages: 0 } },
  { encrypt: { messages: 2 ** 33 } },
  { encrypt: { milliseconds: -1 } },
  { decrypt: { entries: Number.NaN } },
  'sometimes' as 'server',
])('limits that make no sense are refused: %j', (cache) => {
  expect(() => setUp({ cache })).toThrow(InputError);
});

test('the presets', async () => {
  const { make, client } = setUp();
  const { ciphertext } = await client.encrypt('x');
  for (const cache of ['server', 'serverless', 'browser'] as const) {
    expect(await make({ cache }).decryptText(ciphertext)).toBe('x');
  }
});

/** Lets what is under way arrive, while the clock stands still. */
async function arrivals(): Promise<void> {
  await new Promise((resolve) => realSetTimeout(resolve, 50));
}

/** The keys that an engine was given, to look at them afterwards. */
function watchedEngine() {
  const keys: Uint8Array[] = [];
  const engine: typeof nobleEngine = {
    ...nobleEngine,
    importKey(key) {
      const own = nobleEngine.importKey(key);
      keys.push(own);
      return own;
    },
  };
  return { keys, engines: { fields: engine, sync: engine, large: engine } };
}
