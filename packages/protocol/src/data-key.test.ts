import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { engines } from '../test/engines.ts';
import { withIv } from '../test/fixed-iv.ts';
import { bytes, type MessageCase, vectors } from '@eaas/test-kit/vectors';
import { randomIv } from './bytes.ts';
import { type DataKey, openUnder, sealUnder, wipeDataKey } from './data-key.ts';
import { deriveDataKey } from './derive.ts';
import { nobleEngine } from './engines/noble.ts';
import type { Engine } from './engines/engine.ts';
import { parseEnvelope, type Wrapped } from './envelope.ts';
import { DecryptionError, FormatError, InputError } from './errors.ts';
import { open } from './seal.ts';

const { cases, accepted_changes: changes, refusals } = vectors('envelope-v1');
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b);
const wrappedOf = (vector: MessageCase): Wrapped => ({
  keyId: vector.key_id,
  keyVersion: vector.key_version,
  wrappedKey: bytes(vector.wrapped_key),
});
const expectedOf = (id: string | null) => (id === null ? { anyKey: true as const } : { keyId: id });

describe.each(engines)('the envelope, version 1, with $name', (engine: Engine) => {
  test.each(cases)(
    'encryption gives the envelope of the vector, and decryption gives its plaintext: $name',
    async (vector) => {
      const context = vector.context ?? undefined;
      const dataKey: DataKey = await deriveDataKey(engine, bytes(vector.dek), wrappedOf(vector));
      expect(same(dataKey.commitment, bytes(vector.commitment))).toBe(true);
      const plaintext = bytes(vector.plaintext);
      const sealed = await withIv(bytes(vector.iv), () => sealUnder(dataKey, plaintext, context));
      expect(same(sealed, bytes(vector.ciphertext))).toBe(true);
      const opened = await openUnder(dataKey, parseEnvelope(bytes(vector.ciphertext)), context);
      expect(same(opened, plaintext)).toBe(true);
    },
  );

  test.each(changes)('a changed envelope that a reader must accept decrypts: $name', async (vector) => {
    const options = { engine, context: vector.context ?? undefined, ...expectedOf(vector.expected_key_id) };
    const opened = await open(bytes(vector.ciphertext), () => bytes(vector.dek), options);
    expect(same(opened, bytes(vector.plaintext))).toBe(true);
  });

  test.each(refusals)('the invalid envelope of the test vector is refused: $name', async (vector) => {
    const options = { engine, context: vector.context ?? undefined, ...expectedOf(vector.expected_key_id) };
    const opening = open(bytes(vector.ciphertext), () => bytes(vector.dek), options);
    await expect(opening).rejects.toThrow(vector.error === 'format' ? FormatError : DecryptionError);
  });

  test('a wiped data key can neither encrypt nor decrypt', async () => {
    const [vector] = cases as [MessageCase];
    const dataKey: DataKey = await deriveDataKey(engine, bytes(vector.dek), wrappedOf(vector));
    wipeDataKey(dataKey);
    expect(() => sealUnder(dataKey, bytes(vector.plaintext))).toThrow(InputError);
    expect(() => openUnder(dataKey, parseEnvelope(bytes(vector.ciphertext)))).toThrow(InputError);
    expect(() => wipeDataKey(dataKey)).not.toThrow();
  });
});

test('the bytes that the encryption key is imported from are overwritten', () => {
  const [vector] = cases as [MessageCase];
  const derived: Uint8Array[] = [];
  const watching: Engine = { ...nobleEngine, importKey: (key) => derived.push(key) };
  void deriveDataKey(watching, bytes(vector.dek), wrappedOf(vector));
  expect(derived).toEqual([new Uint8Array(32)]);
});

test('a data key keeps its key id when a data key of another key is derived', () => {
  const [vector] = cases as [MessageCase];
  const plaintext = bytes(vector.plaintext);
  const dataKey = deriveDataKey(nobleEngine, bytes(vector.dek), wrappedOf(vector));
  const keyId = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
  deriveDataKey(nobleEngine, bytes(vector.dek), { ...wrappedOf(vector), keyId });
  const envelope = parseEnvelope(sealUnder(dataKey, plaintext));
  expect(same(openUnder(dataKey, envelope), plaintext)).toBe(true);
});

test('wiping a data key overwrites its bytes if the engine supports it', () => {
  const [vector] = cases as [MessageCase];
  const dataKey = deriveDataKey(nobleEngine, bytes(vector.dek), wrappedOf(vector));
  const key = dataKey.key as Uint8Array;
  expect(key.some((byte) => byte !== 0)).toBe(true);
  wipeDataKey(dataKey);
  expect(key.every((byte) => byte === 0)).toBe(true);
});

const wrapped = {
  keyId: '00000000-0000-4000-8000-000000000002',
  keyVersion: 1,
  wrappedKey: Uint8Array.of(1),
};

test.each([31, 33, 0])('a data encryption key of %d bytes is refused', (length) => {
  expect(() => deriveDataKey(nobleEngine, new Uint8Array(length), wrapped)).toThrow(InputError);
});

test.each([
  { keyId: 'customer-data' },
  { keyVersion: 1.5 },
  { keyVersion: 2 ** 32 },
  { wrappedKey: new Uint8Array(0) },
  { wrappedKey: new Uint8Array(2_049) },
])('header fields out of range are refused: %j', (change) => {
  expect(() => deriveDataKey(nobleEngine, new Uint8Array(32), { ...wrapped, ...change })).toThrow(InputError);
});

test('ivs that were drawn more than a second ago are dropped, so a snapshot of an idle process has none', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  randomIv();
  vi.setSystemTime(Date.now() + 1_001);
  const random = vi.spyOn(crypto, 'getRandomValues');
  onTestFinished(() => random.mockRestore());
  randomIv();
  expect(random).toHaveBeenCalledTimes(1);
  vi.setSystemTime(Date.now() + 1_000);
  randomIv();
  expect(random).toHaveBeenCalledTimes(1);
});
