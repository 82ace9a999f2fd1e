import { createHmac } from 'node:crypto';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { describe, expect, test, vi } from 'vitest';
import { nodeEngine } from './engines/node.ts';
import { nobleIntakeCrypto } from './intake/noble.ts';
import { type DekPlace, openSecret, type SecretPlace, sealSecret } from './sealed-secret.ts';

const { cases, refusals } = vectors('sealed-secret');
const placeOf = ({ purpose, tenant, key, version, context }: (typeof refusals)[number]) =>
  ({ purpose, tenantId: tenant, keyId: key, version, context: context ?? undefined }) as SecretPlace;

const people = vectors('people');
const placeOfDek = (vector: (typeof people.refusals)[number]): DekPlace => ({
  purpose: 'dek',
  tenantId: vector.tenant,
  keyId: vector.key,
  version: vector.version,
  context: vector.context ?? undefined,
  subject: vector.subject_secret === null ? undefined : bytes(vector.subject_secret),
});

const hmac = (key: Uint8Array, message: Uint8Array) => createHmac('sha256', key).update(message).digest();

describe.each([
  ['Node', { engine: nodeEngine, hmac }],
  ['noble', nobleIntakeCrypto],
])('with %s', (_, crypto) => {
  test.each(people.cases)('the data key of a subject has the bytes of the vector: $name', (vector) => {
    const [ikm, place, dek] = [bytes(vector.version_secret), placeOfDek(vector), bytes(vector.dek)];
    expect(sealSecret(crypto, ikm, place, dek, bytes(vector.salt))).toEqual(bytes(vector.wrapped));
    expect(new Uint8Array(openSecret(crypto, ikm, place, bytes(vector.wrapped)) ?? [])).toEqual(dek);
  });

  test.each(people.refusals)('the data key of the vector does not open: $name', (vector) => {
    const [ikm, place] = [bytes(vector.version_secret), placeOfDek(vector)];
    expect(openSecret(crypto, ikm, place, bytes(vector.wrapped))).toBeUndefined();
  });

  test.each(cases)('a sealed secret has the bytes of the vector: $name', (vector) => {
    const [ikm, place, secret] = [bytes(vector.ikm), placeOf(vector), bytes(vector.secret)];
    expect(sealSecret(crypto, ikm, place, secret, bytes(vector.salt))).toEqual(bytes(vector.sealed));
    expect(new Uint8Array(openSecret(crypto, ikm, place, bytes(vector.sealed)) ?? [])).toEqual(secret);
  });

  test.each(refusals)('the sealed secret of the vector does not open: $name', (vector) => {
    expect(openSecret(crypto, bytes(vector.ikm), placeOf(vector), bytes(vector.sealed))).toBeUndefined();
  });

  const place: SecretPlace = { purpose: 'dek', tenantId: null, keyId: null, version: 1 };
  const saltFor = (secret: number, context?: SecretPlace['context']) => {
    const sealed = sealSecret(
      crypto,
      new Uint8Array(32),
      { ...place, context },
      new Uint8Array(32).fill(secret),
    );
    return Buffer.from(sealed).toString('hex', 6, 30);
  };

  test('a secret has a new salt each time', () => {
    expect(saltFor(1)).not.toBe(saltFor(1));
  });

  test('clones of a machine, which draw the same random bytes, have other salts for other secrets and contexts', () => {
    const random = vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => array);
    try {
      const salts = [saltFor(1), saltFor(2), saltFor(1, { a: 'b' })];
      expect(random).toHaveBeenCalledTimes(3);
      expect(new Set(salts).size).toBe(3);
      // What the specification says: 32 random bytes are the key, and here they are zeros.
      const message = Buffer.concat([
        Buffer.from('000000030000000c', 'hex'),
        Buffer.from('eaas salt v1'),
        Buffer.from(`00000020${'01'.repeat(32)}0000000400000000`, 'hex'),
      ]);
      expect(salts[0]).toBe(hmac(new Uint8Array(32), message).toString('hex', 0, 24));
    } finally {
      random.mockRestore();
    }
  });
});
