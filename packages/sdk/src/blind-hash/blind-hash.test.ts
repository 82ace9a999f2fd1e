import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { observedClient, range, routesOf } from '../../test/observed-client.ts';
import { vectors } from '@eaas/test-kit/vectors';
import { type EaasClientOptions, InputError } from '../index.ts';

const { cases, public_key: publicKeyHex, key_id: vectorKey } = vectors('blind-hash');
const vectorPublicKey = Buffer.from(publicKeyHex, 'hex').toString('base64');

interface Answer {
  evaluated: string[];
  proof: string;
  public_key: string;
}

/**
 * Returns a client, and the list of its requests for blind hashes. `change` changes the responses to these requests.
 */
function changing(
  change: (answer: Answer) => object = (answer) => answer,
  options: Partial<EaasClientOptions> = {},
) {
  const seen = observedClient();
  const sent: { elements: string[] }[] = [];
  const client = seen.make({
    ...options,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const isBlind = request.url.endsWith('/v1/hash/blind');
      if (isBlind) sent.push((await request.clone().json()) as { elements: string[] });
      const response = await seen.service.fetch(request);
      if (!isBlind || !response.ok) return response;
      return Response.json(change((await response.json()) as Answer));
    },
  });
  return { ...seen, client, sent };
}

// Loads the code for blind hashes before the random bytes are mocked, because this code requests random bytes while it
// loads.
beforeAll(() => observedClient().client.blindHash('x'));

afterEach(() => vi.restoreAllMocks());

describe.each([undefined, 'noble'] as const)('with the engine %s', (engines) => {
  test.each(cases)(
    'a client reproduces the requests and hashes of the test vector: $name',
    async (vector) => {
      const blinds = vector.blinds.map((hex) => (BigInt(`0x${hex}`) - 1n).toString(16).padStart(96, '0'));
      const sent: unknown[] = [];
      const { make } = observedClient();
      const client = make({
        engines,
        keyId: vectorKey,
        hashPublicKeys: { [vectorKey]: vectorPublicKey },
        fetch: async (input, init) => {
          sent.push(await new Request(input, init).json());
          return Response.json(vector.response);
        },
      });
      vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
        const bytes = array as unknown as Uint8Array;
        // Replaces the 48 random bytes of a blind by the next blind of the test vector.
        if (bytes.length === 48) bytes.set(Buffer.from(blinds.shift() ?? '', 'hex'));
        return array;
      });
      const values = vector.values.map((hex) => new Uint8Array(Buffer.from(hex, 'hex')));
      const hashes = await client.blindHashMany(values);
      expect(sent).toEqual([vector.request]);
      expect(hashes).toEqual(vector.hashes.map((value) => ({ ok: true, value })));
    },
  );
});

test('a text and its UTF-8 bytes have the same blind hash with every engine', async () => {
  const { client, make } = observedClient();
  const hash = await client.blindHash('naïve');
  expect(hash).toMatch(/^[\da-f]{64}$/);
  expect(await client.blindHash(new TextEncoder().encode('naïve'))).toBe(hash);
  expect(await make({ engines: 'noble' }).blindHash('naïve')).toBe(hash);
  expect(await client.hash('naïve')).not.toBe(hash);
});

test('a blind hash is the same after a rotation, although each request sends a different blinded element', async () => {
  const { client, keyId, sent } = changing();
  const before = await client.blindHash('Ada');
  await client.keys.rotate({ key_id: keyId });
  expect(await client.blindHash('Ada')).toBe(before);
  const elements = sent.flatMap((body) => body.elements);
  expect(new Set(elements).size).toBe(2);
});

test('one request has at most 100 values', async () => {
  const { client, sent } = changing();
  const results = await client.blindHashMany(range(101).map(String));
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(sent.map(({ elements }) => elements.length)).toEqual([100, 1]);
});

test('concurrent calls for one key share one request that contains each value once', async () => {
  const { client, service, sent } = changing();
  const other = service.createKey('other').key_id;
  const values = range(100).map((at) => `${at % 10}`);
  const hashes = await Promise.all(values.map((value) => client.blindHash(value)));
  expect(sent.map(({ elements }) => elements.length)).toEqual([10]);
  expect(new Set(hashes).size).toBe(10);
  const [one, two] = await Promise.all([client.blindHash('0'), client.blindHash('0', { keyId: other })]);
  expect(one).toBe(hashes[0]);
  expect(two).not.toBe(one);
  expect(routesOf(service)).toEqual(['hash/blind', 'hash/blind', 'hash/blind']);
});

describe('an altered response', () => {
  const flip = (text: string) => {
    const bytes = Buffer.from(text, 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    return bytes.toString('base64');
  };
  test.each<[string, (answer: Answer) => object, string]>([
    [
      'a changed element',
      (a) => ({ ...a, evaluated: a.evaluated.with(0, flip(a.evaluated[0] ?? '')) }),
      'proof_invalid',
    ],
    ['swapped elements', (a) => ({ ...a, evaluated: a.evaluated.toReversed() }), 'proof_invalid'],
    ['a missing element', (a) => ({ ...a, evaluated: a.evaluated.slice(1) }), 'proof_invalid'],
    ['a changed proof', (a) => ({ ...a, proof: flip(a.proof) }), 'proof_invalid'],
    ['a changed public key', (a) => ({ ...a, public_key: flip(a.public_key) }), 'proof_invalid'],
    ['another public key', (a) => ({ ...a, public_key: a.evaluated[0] }), 'proof_invalid'],
    ['no elements', ({ proof, public_key }) => ({ proof, public_key }), 'invalid_response'],
    ['an element that is not text', (a) => ({ ...a, evaluated: [1, 2] }), 'invalid_response'],
    ['another key id', (a) => ({ ...a, key_id: vectorKey }), 'invalid_response'],
  ])('a response with %s gives no fingerprint', async (_, change, code) => {
    const { client } = changing(change);
    const results = await client.blindHashMany(['a', 'b']);
    const refused = { ok: false, error: expect.objectContaining({ code, retryable: false }) as unknown };
    expect(results).toEqual([refused, refused]);
  });
});

describe('the public key', () => {
  test('a client that pins the public key from `publicKey` accepts the responses of the service', async () => {
    const { client, keyId, make } = observedClient();
    const { hashPublicKey, ...rest } = await client.publicKey(keyId);
    expect(rest).toEqual({ keyId, keyVersion: 1, intakePublicKey: null });
    const pinned = make({ hashPublicKeys: { [keyId.toUpperCase()]: hashPublicKey } });
    expect(await pinned.blindHash('Ada')).toBe(await client.blindHash('Ada'));
  });

  test('the client refuses the public key of a response if another public key is pinned', async () => {
    const { make, keyId } = observedClient();
    const pinned = make({ hashPublicKeys: { [keyId]: vectorPublicKey } });
    await expect(pinned.blindHash('x')).rejects.toMatchObject({
      code: 'public_key_changed',
      retryable: false,
    });
  });

  test.each<[string, (keyId: string) => unknown]>([
    ['an empty text', (keyId) => ({ [keyId]: '' })],
    ['an absent variable', (keyId) => ({ [keyId]: undefined })],
    ['null', (keyId) => ({ [keyId]: null })],
    ['a number', (keyId) => ({ [keyId]: 7 })],
    ['a public key for intake', (keyId) => ({ [keyId]: 'eaas_pk_1' })],
    ['a truncated public key', (keyId) => ({ [keyId]: vectorPublicKey.slice(0, -1) })],
    [
      'one invalid public key of two',
      (keyId) => ({ [`${keyId.slice(0, -1)}f`]: vectorPublicKey, [keyId]: 'x' }),
    ],
    ['a Map', (keyId) => new Map([[keyId, vectorPublicKey]])],
    ['a list', () => [vectorPublicKey]],
  ])('the constructor refuses %s in `hashPublicKeys`', (_, pins) => {
    const { make, keyId } = observedClient();
    const create = () => make({ hashPublicKeys: pins(keyId) as Record<string, string> });
    expect(create).toThrow(
      '`hashPublicKeys` of `new EaasClient` must be an object with the `hashPublicKey` of each key',
    );
    expect(create).toThrow(InputError);
  });

  test('the client refuses a response whose public key differs from the first response', async () => {
    let isAltered = false;
    const { client } = changing((a) => (isAltered ? { ...a, public_key: vectorPublicKey } : a));
    await client.blindHash('x');
    isAltered = true;
    await expect(client.blindHash('x')).rejects.toMatchObject({ code: 'public_key_changed' });
    isAltered = false;
    expect(await client.blindHash('x')).toHaveLength(64);
  });

  test('a client does not remember the public key of a response with an invalid proof', async () => {
    let isAltered = true;
    const { client } = changing((a) => (isAltered ? { ...a, public_key: vectorPublicKey } : a));
    await expect(client.blindHash('x')).rejects.toMatchObject({ code: 'proof_invalid' });
    isAltered = false;
    expect(await client.blindHash('x')).toHaveLength(64);
  });

  test('the client refuses `hashPublicKeys` with the name of a key instead of the UUID', () => {
    const { make } = observedClient();
    expect(() => make({ hashPublicKeys: { users: vectorPublicKey } })).toThrow(/`keyId` must be a UUID/);
  });
});

test('the other values of a request succeed if one value is invalid', async () => {
  const { client, sent } = changing();
  const results = await client.blindHashMany(['a', '\ud800', 'b']);
  expect(results.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect(results[1]).toMatchObject({ error: { code: 'input' } });
  expect(sent.map(({ elements }) => elements.length)).toEqual([2]);
});

test('if a request gets no response, the client fails the waiting values without more requests', async () => {
  let requests = 0;
  const { make } = observedClient();
  const fetch = (): Promise<Response> => {
    requests++;
    return Promise.reject(new TypeError('fetch failed'));
  };
  const results = await make({ fetch, retries: 0 }).blindHashMany(range(250).map(String));
  expect(results.filter((one) => !one.ok && one.error.code === 'network')).toHaveLength(250);
  expect(requests).toBe(1);
});

test('`blindHash` hashes the original bytes, even if the caller overwrites them before the hash arrives', async () => {
  const { client } = observedClient();
  const value = Uint8Array.of(1, 2, 3);
  const hashing = client.blindHash(value);
  value.fill(0);
  expect(await hashing).toBe(await client.blindHash(Uint8Array.of(1, 2, 3)));
});

test('the client does not send a value if every call that passed the value has aborted', async () => {
  const { client, sent } = changing();
  const stop = new AbortController();
  stop.abort();
  const [aborted, kept] = await Promise.allSettled([
    client.blindHash('a', { signal: stop.signal }),
    client.blindHash('b'),
  ]);
  expect(aborted).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } });
  expect(kept.status).toBe('fulfilled');
  expect(sent.map(({ elements }) => elements.length)).toEqual([1]);
});

test('blind hashes are refused after the key is disabled, and after `close`', async () => {
  const { client, keyId } = observedClient();
  await client.blindHash('a');
  await client.keys.disable({ key_id: keyId });
  await expect(client.blindHash('a')).rejects.toMatchObject({ code: 'key_state', status: 409 });
  await client.close();
  await expect(client.blindHash('a')).rejects.toMatchObject({ code: 'closed' });
});

test('if the code for blind hashes cannot be loaded, the call throws a LoadError, and the next call loads the code', async () => {
  const { client, sent } = changing();
  vi.doMock('./hasher.ts', () => {
    throw new TypeError('Failed to fetch dynamically imported module');
  });
  const failed = { name: 'LoadError', code: 'not_loaded', retryable: true };
  await expect(client.blindHash('a')).rejects.toMatchObject(failed);
  for (const value of ['a', 'b'])
    expect(await client.blindHashMany([value])).toMatchObject([{ error: failed }]);
  expect(sent).toEqual([]);
  vi.doUnmock('./hasher.ts');
  expect(await client.blindHash('a')).toHaveLength(64);
});
