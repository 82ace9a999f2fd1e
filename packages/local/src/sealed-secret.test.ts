import { bytes, vectors } from '@eaas/test-kit/vectors';
import { describe, expect, test } from 'vitest';
import { openSecret, type SecretPlace, sealSecret } from './sealed-secret.ts';

const { cases, refusals } = vectors('sealed-secret');
const placeOf = ({ purpose, tenant, key, version, context }: (typeof refusals)[number]) =>
  ({ purpose, tenantId: tenant, keyId: key, version, context: context ?? undefined }) as SecretPlace;

const people = vectors('people');
const placeOfDek = (vector: (typeof people.refusals)[number]): SecretPlace => ({
  purpose: 'dek',
  tenantId: vector.tenant,
  keyId: vector.key,
  version: vector.version,
  context: vector.context ?? undefined,
  subject: vector.subject_secret === null ? undefined : bytes(vector.subject_secret),
});

describe('a data key of a subject', () => {
  test.each(people.cases)('$name has the bytes of the vector, and opens', (vector) => {
    const [ikm, place, dek] = [bytes(vector.version_secret), placeOfDek(vector), bytes(vector.dek)];
    expect(sealSecret(ikm, place, dek, bytes(vector.salt))).toEqual(bytes(vector.wrapped));
    expect(new Uint8Array(openSecret(ikm, place, bytes(vector.wrapped)) ?? [])).toEqual(dek);
  });

  test.each(people.refusals)('$name does not open', (vector) => {
    expect(
      openSecret(bytes(vector.version_secret), placeOfDek(vector), bytes(vector.wrapped)),
    ).toBeUndefined();
  });
});

describe('a sealed secret', () => {
  test.each(cases)('$name has the bytes of the vector, and opens', (vector) => {
    const [ikm, place, secret] = [bytes(vector.ikm), placeOf(vector), bytes(vector.secret)];
    expect(sealSecret(ikm, place, secret, bytes(vector.salt))).toEqual(bytes(vector.sealed));
    expect(new Uint8Array(openSecret(ikm, place, bytes(vector.sealed)) ?? [])).toEqual(secret);
  });

  test.each(refusals)('$name does not open', (vector) => {
    expect(openSecret(bytes(vector.ikm), placeOf(vector), bytes(vector.sealed))).toBeUndefined();
  });

  test('has a new salt each time', () => {
    const [vector] = cases;
    if (!vector) throw new Error('the vectors must have a sealed secret');
    const seal = () => sealSecret(bytes(vector.ikm), placeOf(vector), bytes(vector.secret));
    expect(seal()).not.toEqual(seal());
  });
});
