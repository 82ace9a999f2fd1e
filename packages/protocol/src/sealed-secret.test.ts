import { createHmac } from 'node:crypto';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { describe, expect, test } from 'vitest';
import { nodeEngine } from './engines/node.ts';
import { nobleIntakeCrypto } from './intake/noble.ts';
import { pae } from './pae.ts';
import { type DekPlace, openSecret, saltParts, type SecretPlace } from './sealed-secret.ts';

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
  test.each(people.cases)('the data key of a subject opens: $name', (vector) => {
    const [ikm, place, dek] = [bytes(vector.version_secret), placeOfDek(vector), bytes(vector.dek)];
    expect(new Uint8Array(openSecret(crypto, ikm, place, bytes(vector.wrapped)) ?? [])).toEqual(dek);
  });

  test.each(people.refusals)('the data key of the vector does not open: $name', (vector) => {
    const [ikm, place] = [bytes(vector.version_secret), placeOfDek(vector)];
    expect(openSecret(crypto, ikm, place, bytes(vector.wrapped))).toBeUndefined();
  });

  test.each(cases)('the sealed secret of the vector opens: $name', (vector) => {
    const [ikm, place, secret] = [bytes(vector.ikm), placeOf(vector), bytes(vector.secret)];
    expect(new Uint8Array(openSecret(crypto, ikm, place, bytes(vector.sealed)) ?? [])).toEqual(secret);
  });

  test.each(refusals)('the sealed secret of the vector does not open: $name', (vector) => {
    expect(openSecret(crypto, bytes(vector.ikm), placeOf(vector), bytes(vector.sealed))).toBeUndefined();
  });
});

test('the salt depends on the secret and the context, for clones of a machine that draw the same random bytes', () => {
  const [one, other] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
  const partsOf = (...args: Parameters<typeof saltParts>) => Buffer.from(pae(...saltParts(...args)));
  const message = Buffer.concat([
    Buffer.from('000000030000000c', 'hex'),
    Buffer.from('eaas salt v1'),
    Buffer.from(`00000020${'01'.repeat(32)}0000000400000000`, 'hex'),
  ]);
  expect(partsOf(one)).toEqual(message);
  for (const another of [partsOf(other), partsOf(one, { a: 'b' })]) expect(another).not.toEqual(message);
});
