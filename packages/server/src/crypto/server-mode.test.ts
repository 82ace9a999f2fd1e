import { createSecretKey, randomBytes } from 'node:crypto';
import { type Context, open, seal } from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { type Bundle, openBundle, type PresentedBundle, sealBundle } from '@eaas/protocol/service';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter, anyContext } from '@eaas/test-kit/arbitraries';
import { runs } from '@eaas/test-kit/cases';
import { bytes } from '@eaas/test-kit/vectors';
import { openSecret, type SecretPlace, sealedVersion, sealSecret } from './sealed-secret.ts';

const T = '00000000-0000-4000-8000-000000000001';
const K = '00000000-0000-4000-8000-000000000002';
const context = { table: 'patients', row: '4711' };
const text = 'Grüße, 世界';
const plaintext = Buffer.from(text);

const ikm = (version: number) => createSecretKey(Buffer.alloc(32, version));
const place = (version: number): SecretPlace => ({ purpose: 'dek', tenantId: T, keyId: K, version });
const wrap = (version: number) => (dek: Uint8Array) => sealSecret(ikm(version), place(version), dek);
const unwrap = (version: number) => (wrapped: Uint8Array) =>
  openSecret(ikm(version), place(version), wrapped);

type Unwrap = (wrapped: Uint8Array) => Uint8Array | undefined;
const sealBy = (
  key_version: number,
  wrap: (dek: Uint8Array) => Uint8Array,
  value: Uint8Array,
  given?: Context,
) => sealBundle({ key_id: K, key_version }, { wrap }, nodeEngine, randomBytes(32), value, given);
const openBy = (presented: PresentedBundle, unwrap: Unwrap, given?: Context) =>
  openBundle({ versionOf: sealedVersion, unwrap }, nodeEngine, presented, given);

const sealed = (version = 1, value: Uint8Array = plaintext) => sealBy(version, wrap(version), value, context);
const least = ({ ciphertext, key_id, key_version }: Bundle): PresentedBundle => ({
  ciphertext: bytes(ciphertext),
  keyId: key_id,
  keyVersion: key_version,
});
const whole = (bundle: Bundle): PresentedBundle => ({
  ...least(bundle),
  wrappedKey: bytes(bundle.wrapped_key),
  iv: bytes(bundle.iv),
});
const opened = (presented: PresentedBundle, given = context) =>
  openBy(presented, unwrap(presented.keyVersion), given);

describe('a bundle', () => {
  test('a bundle decrypts without its optional fields', () => {
    const bundle = sealed();
    expect(bundle).toMatchObject({ key_id: K, key_version: 1 });
    expect(bundle.ciphertext).toMatch(/^eaas/);
    expect(opened(least(bundle))).toBe(text);
    expect(opened(whole(bundle))).toBe(text);
  });

  test('any text, encrypted with any context, decrypts to the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), anyContext, (text, context) => {
        const bundle = sealBy(3, wrap(3), Buffer.from(text), context);
        expect(openBy(whole(bundle), unwrap(3), context)).toBe(text);
      }),
      { numRuns: runs(300) },
    );
  });

  test("the service and the protocol package decrypt each other's bundles", async () => {
    const bundle = sealed(2);
    const fromServer = await open(
      bytes(bundle.ciphertext),
      ({ keyVersion, wrappedKey }) => unwrap(keyVersion)(wrappedKey) ?? Buffer.alloc(0),
      { context, keyId: K },
    );
    expect(fromServer).toEqual(new Uint8Array(plaintext));
    const ciphertext = await seal(
      plaintext,
      (dek) => ({ keyId: K, keyVersion: 2, wrappedKey: wrap(2)(dek) }),
      { context },
    );
    expect(opened({ ciphertext, keyId: K, keyVersion: 2 })).toBe(text);
  });

  test('two bundles never share a DEK, an iv or a wrapped key', () => {
    const [a, b] = [sealed(), sealed()];
    expect(a.iv).not.toBe(b.iv);
    expect(a.wrapped_key).not.toBe(b.wrapped_key);
    expect(opened({ ...least(a), wrappedKey: bytes(b.wrapped_key) })).toBeUndefined();
    expect(opened({ ...least(a), iv: bytes(b.iv) })).toBeUndefined();
  });

  test('the DEK of a bundle is wiped after encrypting, decrypting and every failure', () => {
    const deks: Uint8Array[] = [];
    const spied = (dek: Uint8Array | undefined) => {
      if (dek) deks.push(dek);
      return dek;
    };
    const keeping = (dek: Uint8Array) => wrap(1)(spied(dek) ?? dek);
    const bundle = sealBy(1, keeping, plaintext, context);
    const unwrapping = (wrapped: Uint8Array) => spied(unwrap(1)(wrapped));
    expect(openBy(least(bundle), unwrapping, context)).toBeDefined();
    expect(openBy(least(bundle), unwrapping, {})).toBeUndefined();
    const failing = (dek: Uint8Array): never => {
      spied(dek);
      throw new Error('no');
    };
    expect(() => sealBy(1, failing, plaintext)).toThrow('no');
    expect(deks).toHaveLength(4);
    for (const dek of deks) expect(dek.every((byte) => byte === 0)).toBe(true);
  });
});

describe('fields that the request has beside the ciphertext', () => {
  test('a rewrapped key replaces the wrapped key in the ciphertext', () => {
    const bundle = sealed(1);
    const dek = unwrap(1)(bytes(bundle.wrapped_key)) ?? Buffer.alloc(32);
    const rewrapped = { ...least(bundle), keyVersion: 2, wrappedKey: wrap(2)(dek) };
    expect(opened(rewrapped)).toBe(text);
    expect(opened({ ...rewrapped, keyVersion: 1 })).toBeUndefined();
    expect(opened({ ...rewrapped, wrappedKey: undefined })).toBeUndefined();
  });

  test.each([0, 11, 13, 16])('a request with an iv of %d bytes is refused', (length) => {
    expect(opened({ ...least(sealed()), iv: new Uint8Array(length) })).toBeUndefined();
  });

  test.each([1, 77, 79, 156])('a request with a wrapped key of %d bytes is refused', (length) => {
    expect(opened({ ...least(sealed()), wrappedKey: new Uint8Array(length).fill(1) })).toBeUndefined();
  });

  test('an iv in the request replaces the iv in the ciphertext', () => {
    const altered = bytes(sealed().ciphertext);
    const { iv, ...rest } = whole(sealed());
    const ivAt = 26 + 78;
    altered.set(rest.ciphertext);
    altered.fill(0, ivAt, ivAt + 12);
    expect(opened({ ...rest, ciphertext: altered })).toBeUndefined();
    expect(opened({ ...rest, ciphertext: altered, iv })).toBe(text);
  });
});

describe('every failed decryption returns undefined', () => {
  const bundle = least(sealed());

  test.each([
    ['another key id', { keyId: T }],
    ['another version', { keyVersion: 2 }],
    ['a negative version', { keyVersion: -1 }],
    ['a wrapped key of zeros', { wrappedKey: new Uint8Array(78) }],
    ['no bytes', { ciphertext: new Uint8Array(0) }],
  ])('decryption of a bundle with %s fails', (_, change) => {
    expect(opened({ ...bundle, ...change })).toBeUndefined();
  });

  test('decryption fails if header and wrapped key have different versions', () => {
    const altered = bytes(sealed().ciphertext);
    altered[23] = 2;
    expect(opened({ ...bundle, ciphertext: altered })).toBeUndefined();
    expect(opened({ ...bundle, ciphertext: altered, keyVersion: 2 })).toBeUndefined();
  });

  test('decryption fails if the ciphertext was altered or truncated, or if the context is wrong', () => {
    for (let at = 0; at < bundle.ciphertext.length; at++) {
      const altered = Uint8Array.from(bundle.ciphertext);
      altered[at] = (altered[at] ?? 0) ^ 0x10;
      expect(opened({ ...bundle, ciphertext: altered })).toBeUndefined();
      expect(opened({ ...bundle, ciphertext: bundle.ciphertext.subarray(0, at) })).toBeUndefined();
    }
    expect(opened(bundle, { ...context, row: '4712' })).toBeUndefined();
    expect(openBy(bundle, unwrap(1))).toBeUndefined();
  });

  test('an envelope with version 2, the version of streams, does not decrypt', () => {
    const altered = Uint8Array.from(bundle.ciphertext);
    altered[3] = 2;
    expect(opened({ ...bundle, ciphertext: altered })).toBeUndefined();
  });

  test('decryption fails if the plaintext is not UTF-8', () => {
    for (const bytes of [Buffer.of(0xff), Buffer.of(0xed, 0xa0, 0x80), Buffer.of(0xc0, 0x80)])
      expect(opened(least(sealed(1, bytes)))).toBeUndefined();
    expect(opened(least(sealed(1, Buffer.alloc(0))))).toBe('');
    expect(opened(least(sealed(1, Buffer.from('\0\ufeff'))))).toBe('\0\ufeff');
  });

  test('decryption throws if reading the key fails', () => {
    const failing = (): never => {
      throw new Error('database gone');
    };
    expect(() => openBy(bundle, failing, context)).toThrow('database gone');
  });
});
