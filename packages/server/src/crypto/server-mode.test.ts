import { createSecretKey } from 'node:crypto';
import { open, seal } from '@eaas/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyContext } from '../../../../test/protocol/arbitraries.ts';
import { bytes } from '../../../../test/vectors/vectors.ts';
import { openSecret, type Place, sealSecret } from './sealed-secret.ts';
import { type Bundle, openBundle, type PresentedBundle, sealBundle } from './server-mode.ts';

const T = '00000000-0000-4000-8000-000000000001';
const K = '00000000-0000-4000-8000-000000000002';
const context = { table: 'patients', row: '4711' };
const plaintext = Buffer.from('Grüße, 世界');

/** A key with versions whose bytes are all derived from one number: enough to wrap and unwrap as the service does. */
const ikm = (version: number) => createSecretKey(Buffer.alloc(32, version));
const place = (version: number): Place => ({ purpose: 'dek', tenantId: T, keyId: K, version });
const wrap = (version: number) => (dek: Uint8Array) => sealSecret(ikm(version), place(version), dek);
const unwrap = (version: number) => (wrapped: Uint8Array) =>
  openSecret(ikm(version), place(version), wrapped);

const sealed = (version = 1, text: Uint8Array = plaintext) =>
  sealBundle(text, { keyId: K, keyVersion: version, wrap: wrap(version) }, context);
/** What is enough for /v1/decrypt. */
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
  openBundle(presented, unwrap(presented.keyVersion), given);

describe('a bundle', () => {
  test('opens with its ciphertext, key id and version alone, or with all of its fields', () => {
    const bundle = sealed();
    expect(bundle).toMatchObject({ key_id: K, key_version: 1 });
    expect(bundle.ciphertext).toMatch(/^eaas/);
    expect(opened(least(bundle))).toEqual(new Uint8Array(plaintext));
    expect(opened(whole(bundle))).toEqual(new Uint8Array(plaintext));
  });

  test('opens for any text and context', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), anyContext, (text, context) => {
        const bundle = sealBundle(Buffer.from(text), { keyId: K, keyVersion: 3, wrap: wrap(3) }, context);
        expect(openBundle(whole(bundle), unwrap(3), context)).toEqual(new Uint8Array(Buffer.from(text)));
      }),
    );
  });

  test('is opened by the protocol, and the other way round', async () => {
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
    expect(opened({ ciphertext, keyId: K, keyVersion: 2 })).toEqual(new Uint8Array(plaintext));
  });

  test('never shares a DEK, an iv or a wrapped key with another', () => {
    const [a, b] = [sealed(), sealed()];
    expect(a.iv).not.toBe(b.iv);
    expect(a.wrapped_key).not.toBe(b.wrapped_key);
    expect(opened({ ...least(a), wrappedKey: bytes(b.wrapped_key) })).toBeUndefined();
    expect(opened({ ...least(a), iv: bytes(b.iv) })).toBeUndefined();
  });

  test('wipes its DEK, when sealed and when opened, and when that fails', () => {
    const deks: Uint8Array[] = [];
    const spied = (dek: Uint8Array | undefined) => {
      if (dek) deks.push(dek);
      return dek;
    };
    const keeping = (dek: Uint8Array) => wrap(1)(spied(dek) ?? dek);
    const bundle = sealBundle(plaintext, { keyId: K, keyVersion: 1, wrap: keeping }, context);
    const unwrapping = (wrapped: Uint8Array) => spied(unwrap(1)(wrapped));
    expect(openBundle(least(bundle), unwrapping, context)).toBeDefined();
    expect(openBundle(least(bundle), unwrapping, {})).toBeUndefined();
    const failing = (dek: Uint8Array): never => {
      spied(dek);
      throw new Error('no');
    };
    expect(() => sealBundle(plaintext, { keyId: K, keyVersion: 1, wrap: failing })).toThrow('no');
    expect(deks).toHaveLength(4);
    for (const dek of deks) expect(dek.every((byte) => byte === 0)).toBe(true);
  });
});

describe('what is presented beside the ciphertext', () => {
  test('a wrapped key from rewrap is used in place of the embedded one, under its own version', () => {
    const bundle = sealed(1);
    const dek = unwrap(1)(bytes(bundle.wrapped_key)) ?? Buffer.alloc(32);
    const rewrapped = { ...least(bundle), keyVersion: 2, wrappedKey: wrap(2)(dek) };
    expect(opened(rewrapped)).toEqual(new Uint8Array(plaintext));
    expect(opened({ ...rewrapped, keyVersion: 1 })).toBeUndefined();
    expect(opened({ ...rewrapped, wrappedKey: undefined })).toBeUndefined();
  });

  test.each([0, 11, 13, 16])('an iv of %d bytes opens nothing', (length) => {
    expect(opened({ ...least(sealed()), iv: new Uint8Array(length) })).toBeUndefined();
  });

  test.each([1, 77, 79, 156])('a wrapped key of %d bytes opens nothing', (length) => {
    expect(opened({ ...least(sealed()), wrappedKey: new Uint8Array(length).fill(1) })).toBeUndefined();
  });

  test('an iv that is presented is used even where the embedded one was right', () => {
    const altered = bytes(sealed().ciphertext);
    const { iv, ...rest } = whole(sealed());
    const ivAt = 26 + 78;
    altered.set(rest.ciphertext);
    altered.fill(0, ivAt, ivAt + 12);
    expect(opened({ ...rest, ciphertext: altered })).toBeUndefined();
    expect(opened({ ...rest, ciphertext: altered, iv })).toEqual(new Uint8Array(plaintext));
  });
});

describe('every failure is the same', () => {
  const bundle = least(sealed());

  test.each([
    ['another key id', { keyId: T }],
    ['another version', { keyVersion: 2 }],
    ['a negative version', { keyVersion: -1 }],
    ['a wrapped key of zeros', { wrappedKey: new Uint8Array(78) }],
    ['no bytes', { ciphertext: new Uint8Array(0) }],
  ])('%s', (_, change) => {
    expect(opened({ ...bundle, ...change })).toBeUndefined();
  });

  test('a version of the header that is not that of the embedded wrapped key', () => {
    const altered = bytes(sealed().ciphertext);
    altered[23] = 2;
    expect(opened({ ...bundle, ciphertext: altered })).toBeUndefined();
    expect(opened({ ...bundle, ciphertext: altered, keyVersion: 2 })).toBeUndefined();
  });

  test('any byte altered, the ciphertext cut anywhere, another context', () => {
    for (let at = 0; at < bundle.ciphertext.length; at++) {
      const altered = Uint8Array.from(bundle.ciphertext);
      altered[at] = (altered[at] ?? 0) ^ 0x10;
      expect(opened({ ...bundle, ciphertext: altered })).toBeUndefined();
      expect(opened({ ...bundle, ciphertext: bundle.ciphertext.subarray(0, at) })).toBeUndefined();
    }
    expect(opened(bundle, { ...context, row: '4712' })).toBeUndefined();
    expect(openBundle(bundle, unwrap(1))).toBeUndefined();
  });

  test('a stream (version 2)', () => {
    const altered = Uint8Array.from(bundle.ciphertext);
    altered[3] = 2;
    expect(opened({ ...bundle, ciphertext: altered })).toBeUndefined();
  });

  test('a plaintext that is not UTF-8', () => {
    for (const bytes of [Buffer.of(0xff), Buffer.of(0xed, 0xa0, 0x80), Buffer.of(0xc0, 0x80)])
      expect(opened(least(sealed(1, bytes)))).toBeUndefined();
    expect(opened(least(sealed(1, Buffer.alloc(0))))).toHaveLength(0);
    expect(opened(least(sealed(1, Buffer.from('\0\ufeff'))))).toHaveLength(4);
  });

  test('but what the service itself fails at is thrown', () => {
    const failing = (): never => {
      throw new Error('database gone');
    };
    expect(() => openBundle(bundle, failing, context)).toThrow('database gone');
  });
});
