import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { wipedBy } from '@eaas/test-kit/wiped-by';
import { fromHex, toHex } from '../bytes.ts';
import { InputError } from '../errors.ts';
import { type IntakePublicKey, wrapForIntake } from './index.ts';
import { formatPublicKey } from './public-key.ts';
import { nobleIntakeCrypto as noble } from './noble.ts';
import { type IntakeCrypto, intakePrivateKey, openForIntake } from './open.ts';
import { intakeKeyInfo, intakeParts } from './suite.ts';

const { tenant_id, key_id: keyId, cases, refusals } = vectors('intake');
const dek = new Uint8Array(32).fill(7);

function seedOf(tenantId: string, place: { keyId: string; keyVersion: number }, versionBytes: string) {
  return hkdf(sha256, fromHex(versionBytes), undefined, intakeKeyInfo(tenantId, place), 32);
}

function open(
  { tenantId = tenant_id, ...place }: { tenantId?: string; keyId: string; keyVersion: number },
  versionBytes: string,
  wrapped: Uint8Array,
  context?: Readonly<Record<string, string>>,
): Uint8Array | undefined {
  const key = intakePrivateKey(noble, seedOf(tenantId, place, versionBytes));
  const sharedSecret = wrapped.length === 1_174 ? key.decapsulate(wrapped) : new Uint8Array(32);
  key.wipe();
  return sharedSecret && openForIntake(noble, place, wrapped, sharedSecret, context);
}

function publicKeyOf(seed: Uint8Array, keyVersion = 1): IntakePublicKey {
  const { publicKey, wipe } = intakePrivateKey(noble, seed);
  wipe();
  return { keyId, keyVersion, bytes: publicKey };
}

afterEach(() => vi.restoreAllMocks());

function withoutX25519() {
  const importKey = crypto.subtle.importKey.bind(crypto.subtle);
  const calls = { refused: 0 };
  vi.spyOn(crypto.subtle, 'importKey').mockImplementation((...given: unknown[]) => {
    if (given[2] !== 'X25519') return Reflect.apply(importKey, undefined, given) as Promise<CryptoKey>;
    calls.refused++;
    return Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'));
  });
  return calls;
}

describe.each(cases)('the vector $name', (vector) => {
  const place = { keyId, keyVersion: vector.key_version };
  const seed = fromHex(vector.xwing_seed_hex);
  const publicKey = publicKeyOf(seed, vector.key_version);
  const wrapped = bytes(vector.wrapped_key);
  const wrap = () =>
    wrapForIntake(
      publicKey,
      fromHex(vector.dek_hex),
      vector.wrap_context,
      fromHex(vector.encapsulation_seed_hex),
    );

  test('the seed of the private key derives from the 32 secret bytes of the key version', () => {
    expect(toHex(seedOf(tenant_id, place, vector.version_bytes_hex))).toBe(vector.xwing_seed_hex);
  });

  test('the public key and its text match the SHA-256 hashes of the vector', () => {
    expect(toHex(sha256(publicKey.bytes))).toBe(vector.public_key_sha256_hex);
    const text = formatPublicKey(publicKey);
    expect(toHex(sha256(new TextEncoder().encode(text)))).toBe(vector.public_key_token_sha256_hex);
    expect(vector.public_key_token ?? text).toBe(text);
  });

  test('wrapping returns the wrapped key of the vector, with and without X25519 of the platform', async () => {
    expect(await wrap()).toEqual({ ...place, wrappedKey: wrapped });
    const calls = withoutX25519();
    expect(await wrap()).toEqual({ ...place, wrappedKey: wrapped });
    expect(calls.refused).toBeGreaterThan(0);
  });

  test('opening returns the DEK', () => {
    const opened = open(place, vector.version_bytes_hex, wrapped, vector.wrap_context);
    expect(opened && toHex(opened)).toBe(vector.dek_hex);
  });
});

test.each(refusals)('a wrapped key does not open: $name', (refusal) => {
  const { tenant: tenantId, key, key_version: keyVersion, version_bytes_hex, wrapped, context } = refusal;
  expect(open({ tenantId, keyId: key, keyVersion }, version_bytes_hex, bytes(wrapped), context)).toBe(
    undefined,
  );
});

test('a private key is expanded in memory that is wiped, and ends with that of ML-KEM and of X25519', async () => {
  const { wipe } = intakePrivateKey(noble, dek);
  const lengths = async (work: () => unknown) => (await wipedBy(work)).map(({ length }) => length);
  expect(await lengths(() => intakePrivateKey(noble, dek))).toContain(96);
  expect(await lengths(wipe)).toEqual([2_400, 32]);
});

describe('wrapForIntake', () => {
  const seed = new Uint8Array(32).fill(1);

  test('two calls return different ML-KEM ciphertexts, X25519 points and encrypted DEKs', async () => {
    const publicKey = publicKeyOf(seed);
    const [one, other] = await Promise.all([wrapForIntake(publicKey, dek), wrapForIntake(publicKey, dek)]);
    for (const part of ['mlKem', 'x25519', 'sealed'] as const) {
      expect(intakeParts(one.wrappedKey)[part]).not.toEqual(intakeParts(other.wrappedKey)[part]);
    }
  });

  test('the caller can overwrite the DEK before the promise is fulfilled', async () => {
    const place = { keyId, keyVersion: 1 };
    const publicKey = publicKeyOf(seedOf(tenant_id, place, '00'.repeat(32)));
    const own = dek.slice();
    const wrapping = wrapForIntake(publicKey, own);
    own.fill(0);
    expect(open(place, '00'.repeat(32), (await wrapping).wrappedKey)).toEqual(dek);
  });

  test('wrapping overwrites the random bytes of the encapsulation with zeros', async () => {
    const random = new Uint8Array(64).fill(5);
    await wrapForIntake(publicKeyOf(seed), dek, undefined, random);
    expect(random).toEqual(new Uint8Array(64));
  });

  test('`wrapForIntake` throws InputError for a DEK of 31 bytes', async () => {
    await expect(wrapForIntake(publicKeyOf(seed), dek.subarray(1))).rejects.toBeInstanceOf(InputError);
  });

  test('a failed load of X25519 throws a LoadError, and a later call loads the code again', async () => {
    const publicKey = publicKeyOf(seed);
    const random = new Uint8Array(64).fill(5);
    withoutX25519();
    vi.doMock('./x25519.ts', () => {
      throw new TypeError('Failed to fetch dynamically imported module');
    });
    const failed = { name: 'LoadError', code: 'not_loaded', retryable: true };
    const wrapping = wrapForIntake(publicKey, dek, undefined, random);
    await expect(wrapping).rejects.toMatchObject({
      ...failed,
      message: expect.stringMatching(/X25519.*again/),
    });
    expect(random).toEqual(new Uint8Array(64));
    vi.doUnmock('./x25519.ts');
    expect((await wrapForIntake(publicKey, dek)).wrappedKey).toHaveLength(1_174);
  });

  test('a platform with X25519 does not load the X25519 of noble', async () => {
    vi.doMock('./x25519.ts', () => {
      throw new TypeError('Failed to fetch dynamically imported module');
    });
    expect((await wrapForIntake(publicKeyOf(seed), dek)).wrappedKey).toHaveLength(1_174);
    vi.doUnmock('./x25519.ts');
  });

  test.each([false, true])(
    'an X25519 key of low order throws InputError (platform without X25519: %s)',
    async (isRemoved) => {
      if (isRemoved) withoutX25519();
      const publicKey = publicKeyOf(seed);
      publicKey.bytes.fill(0, 1_184);
      await expect(wrapForIntake(publicKey, dek)).rejects.toThrow(InputError);
    },
  );
});

test('`wipe` overwrites the private key', () => {
  const generated: Uint8Array[] = [];
  const seen: IntakeCrypto = {
    ...noble,
    x25519(scalar, point) {
      generated.push(scalar);
      return noble.x25519(scalar, point);
    },
  };
  intakePrivateKey(seen, new Uint8Array(32).fill(3)).wipe();
  expect(generated).toEqual([new Uint8Array(32)]);
});
