import nodeCrypto, { createHmac, createSecretKey } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type Context, encodeContext, pae } from '@eaas/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyContext } from '@eaas/test-kit/arbitraries';
import { runs } from '@eaas/test-kit/cases';
import { wipedBy } from '@eaas/test-kit/wiped-by';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import {
  openSecret,
  type SecretPlace,
  sealedVersion,
  sealer,
  sealSecret,
  subjectSealers,
  wrappedKeyVersion,
} from './sealed-secret.ts';

const given = vectors('sealed-secret');
type Vector = (typeof given.refusals)[number];

const ikmOf = (vector: Vector) => createSecretKey(bytes(vector.ikm));
const placeOf = ({ purpose, tenant, key, version, context }: Vector): SecretPlace => ({
  purpose: purpose as SecretPlace['purpose'],
  tenantId: tenant,
  keyId: key,
  version,
  context: context ?? undefined,
});

const T = '00000000-0000-4000-8000-000000000001';
const K = '00000000-0000-4000-8000-000000000002';
const ikm = createSecretKey(Buffer.alloc(32, 1));
const place: SecretPlace = { purpose: 'dek', tenantId: T, keyId: K, version: 7 };
const secret = Uint8Array.from({ length: 32 }, (_, index) => index);
const sealed = sealSecret(ikm, place, secret);

const id = fc.option(fc.constantFrom(T, K), { nil: null });
const anyPlace: fc.Arbitrary<SecretPlace> = fc.record({
  purpose: fc.constantFrom('dek', 'key-version', 'hash-key', 'tenant-secret', 'root-check'),
  tenantId: id,
  keyId: id,
  version: fc.oneof(fc.nat(2), fc.integer({ min: 0, max: 0xffffffff })),
  context: anyContext,
});

const people = vectors('people');
type SubjectVector = (typeof people.refusals)[number];

const dekPlace = ({ tenant, key, version, context }: SubjectVector): SecretPlace => ({
  purpose: 'dek',
  tenantId: tenant,
  keyId: key,
  version,
  context: context ?? undefined,
});
const sealerOf = (vector: SubjectVector) => {
  const [ofVersion, place] = [createSecretKey(bytes(vector.version_secret)), dekPlace(vector)];
  if (vector.subject_secret === null) return sealer(ofVersion, place);
  return subjectSealers(ofVersion, place).of(createSecretKey(bytes(vector.subject_secret)));
};

describe('data keys of a subject', () => {
  test.each(people.cases)('the data key of the vector is wrapped and unwrapped: $name', (vector) => {
    const [prepared, { context }] = [sealerOf(vector), dekPlace(vector)];
    const wrapped = prepared.seal(bytes(vector.dek), context, bytes(vector.salt));
    expect(Buffer.from(wrapped).toString('base64')).toBe(vector.wrapped);
    expect(prepared.open(wrapped, context)).toEqual(Buffer.from(vector.dek, 'base64'));
    expect([sealedVersion(wrapped), wrappedKeyVersion(vector.wrapped)]).toEqual([
      vector.version,
      vector.version,
    ]);
  });

  test.each(people.refusals)('the invalid wrapped key of the vector is refused: $name', (vector) => {
    const { context } = dekPlace(vector);
    expect(sealerOf(vector).open(bytes(vector.wrapped), context)).toBeUndefined();
  });

  const anySubject = fc.record({
    place: anyPlace.map((place): SecretPlace => ({ ...place, purpose: 'dek' })),
    subject: fc.option(fc.constantFrom(1, 2, 3), { nil: null }),
    ofVersion: fc.constantFrom(1, 2),
  });
  type OfSubject = typeof anySubject extends fc.Arbitrary<infer One> ? One : never;
  const prepared = ({ place, subject, ofVersion }: OfSubject) => {
    const key = createSecretKey(Buffer.alloc(32, ofVersion));
    return subject === null
      ? sealer(key, place)
      : subjectSealers(key, place).of(createSecretKey(Buffer.alloc(32, subject)));
  };
  const namesOf = ({ place, ...more }: OfSubject) => {
    const { context, ...row } = place;
    return JSON.stringify([more, row, Buffer.from(encodeContext(context)).toString('hex')]);
  };

  test('a data key opens for its subject, key version, key, tenant and context, and for no others', () => {
    fc.assert(
      fc.property(
        anySubject,
        anySubject,
        fc.constantFrom('tenantId' as const, 'keyId' as const, 'version' as const, 'context' as const),
        (a, b, same) => {
          const wrapped = prepared(a).seal(secret, a.place.context);
          expect(prepared(a).open(wrapped, a.place.context)).toEqual(Buffer.from(secret));
          // Often all but one or two of the names are equal, so that each of them decides alone.
          for (const other of [
            b,
            { ...a, subject: b.subject },
            { ...b, place: a.place },
            { ...a, place: b.place },
            { ...a, place: { ...a.place, [same]: b.place[same] } },
          ]) {
            if (namesOf(other) === namesOf(a)) continue;
            const moved = Buffer.from(wrapped);
            // Only the authentication can fail: the head is that of the other place.
            moved[1] = other.subject === null ? 1 : 2;
            moved.writeUInt32BE(other.place.version, 2);
            expect(prepared(other).open(moved, other.place.context)).toBeUndefined();
          }
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test('the secret of the subject and the key mixed with it are overwritten after use', async () => {
    const [vector] = people.cases.slice(2);
    if (!vector) throw new Error('the vectors must have a third subject');
    const ofSubject = bytes(vector.subject_secret);
    const mixed = createHmac('sha256', bytes(vector.version_secret))
      .update(pae('eaas subject v1', ofSubject))
      .digest();
    const wiped = await wipedBy(() => void sealerOf(vector));
    expect(wiped).toContainEqual(Buffer.from(ofSubject));
    expect(wiped).toContainEqual(mixed);
    const sealers = subjectSealers(ikm, place);
    sealers.of(createSecretKey(ofSubject));
    const [mixing, ...others] = await wipedBy(() => sealers.wipe());
    expect(mixing?.subarray(-32)).toEqual(Buffer.from(ofSubject));
    expect(others).toHaveLength(3);
  });

  test('one sealer serves subjects in turn, and opens for the present one only', () => {
    const [ann, bob] = [1, 2].map((byte) => createSecretKey(Buffer.alloc(32, byte)));
    if (!ann || !bob) throw new Error('expected two subjects');
    const sealers = subjectSealers(ikm, place);
    const turns = [ann, bob, bob, ann].map((who) => ({ who, wrapped: sealers.of(who).seal(secret) }));
    for (const { who, wrapped } of turns) {
      for (const one of [ann, bob])
        expect(sealers.of(one).open(wrapped)).toEqual(one === who ? Buffer.from(secret) : undefined);
      expect(subjectSealers(ikm, place).of(who).open(wrapped)).toEqual(Buffer.from(secret));
    }
    sealers.wipe();
  });
});

describe('sealed secrets', () => {
  test.each(given.cases)('the secret of the vector is encrypted and decrypted: $name', (vector) => {
    const place = placeOf(vector);
    const salted = sealSecret(ikmOf(vector), place, bytes(vector.secret), bytes(vector.salt));
    expect(bytes(vector.sealed)).toEqual(new Uint8Array(salted));
    expect(openSecret(ikmOf(vector), place, salted)).toEqual(Buffer.from(vector.secret, 'base64'));
    expect(sealedVersion(salted)).toBe(vector.version);
  });

  test.each(given.refusals)('the invalid secret of the vector is refused: $name', (vector) => {
    expect(openSecret(ikmOf(vector), placeOf(vector), bytes(vector.sealed))).toBeUndefined();
  });

  test('any encrypted secret can be decrypted for the row for which it was encrypted', () => {
    fc.assert(
      fc.property(anyPlace, fc.uint8Array({ minLength: 32, maxLength: 32 }), (place, secret) => {
        const around = Buffer.concat([Buffer.of(1, 2, 3), sealSecret(ikm, place, secret), Buffer.of(4)]);
        const view = new Uint8Array(around).subarray(3, 81);
        expect(openSecret(ikm, place, view)).toEqual(Buffer.from(secret));
      }),
      { numRuns: runs(300) },
    );
  });

  test('a secret that was encrypted for one row cannot be decrypted for another row', () => {
    const named = ({ context, ...rest }: SecretPlace) =>
      JSON.stringify(rest) + Buffer.from(encodeContext(context)).toString('hex');
    fc.assert(
      fc.property(anyPlace, anyPlace, (a, b) => {
        fc.pre(named(a) !== named(b));
        // `openSecret` first compares the key version in the header. The test copies the version of the row `b` into
        // the header, so that only the authentication can fail.
        const moved = Buffer.from(sealSecret(ikm, a, secret));
        moved.writeUInt32BE(b.version, 2);
        expect(openSecret(ikm, b, moved)).toBeUndefined();
      }),
      { numRuns: runs(500) },
    );
  });

  test('a secret decrypts only with its encryption key, tenant, key, version, purpose and context', () => {
    const others: Partial<SecretPlace>[] = [
      { purpose: 'key-version' },
      { tenantId: K },
      { keyId: T },
      { tenantId: null },
      { keyId: null },
      { version: 8 },
      { version: 7 + 2 ** 32 },
      { context: { a: '' } },
    ];
    for (const other of others) expect(openSecret(ikm, { ...place, ...other }, sealed)).toBeUndefined();
    expect(openSecret(createSecretKey(Buffer.alloc(32, 2)), place, sealed)).toBeUndefined();
    expect(openSecret(ikm, { ...place, context: {} }, sealed)).toEqual(Buffer.from(secret));
  });

  test('an encrypted secret cannot be decrypted if any bit was flipped', () => {
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const flipped = Uint8Array.from(sealed);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const version = sealedVersion(flipped) ?? 7;
      expect(openSecret(ikm, place, flipped)).toBeUndefined();
      expect(openSecret(ikm, { ...place, version }, flipped)).toBeUndefined();
    }
  });

  test('decrypting bytes that are not an encrypted secret returns undefined and does not throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(90), (bytes, cut) => {
        expect(openSecret(ikm, place, bytes)).toBeUndefined();
        const part = Buffer.concat([sealed.subarray(0, cut), bytes.subarray(0, 78 - cut)]);
        expect(openSecret(ikm, place, part)).toEqual(part.equals(sealed) ? Buffer.from(secret) : undefined);
      }),
    );
  });

  test('`sealer.open` returns undefined for an encrypted secret of another key version or length', () => {
    const prepared = sealer(ikm, place);
    expect(prepared.open(sealed)).toEqual(Buffer.from(secret));
    const other = sealSecret(ikm, { ...place, version: 8 }, secret);
    for (const bytes of [other, sealed.subarray(0, -1), Buffer.concat([sealed, Buffer.of(0)])])
      expect(prepared.open(bytes)).toBeUndefined();
    prepared.wipe();
    expect(prepared.open(sealed)).toBeUndefined();
  });

  test('the encryption key is overwritten after use, and so is a decrypted secret that is not authentic', async () => {
    const prepared = sealer(ikm, place);
    const altered = Uint8Array.from(sealed).fill(0, 62);
    const [key, ...others] = await wipedBy(() => prepared.seal(secret, undefined, sealed.subarray(6, 30)));
    expect(key).toHaveLength(32);
    expect(others).toEqual([]);
    expect(await wipedBy(() => prepared.open(sealed))).toEqual([key]);
    expect(await wipedBy(() => prepared.open(altered))).toEqual([key, Buffer.from(secret)]);
    const forms = await wipedBy(() => prepared.wipe());
    expect(forms).toHaveLength(2);
    const wholeKey = [ikm.export(), key, ...forms].map((bytes) => bytes?.length);
    const salt = sealed.subarray(6, 30);
    for (const work of [() => sealSecret(ikm, place, secret, salt), () => openSecret(ikm, place, sealed)])
      expect((await wipedBy(work)).map(({ length }) => length)).toEqual(wholeKey);
    const salted = Buffer.from(pae('eaas salt v1', secret, encodeContext()));
    expect(await wipedBy(() => sealSecret(ikm, place, secret))).toContainEqual(salted);
  });

  test('1,000 encryptions of a secret have different salts', () => {
    const salts = Array.from({ length: 1_000 }, () => sealSecret(ikm, place, secret).subarray(6, 30));
    expect(new Set(salts.map((salt) => Buffer.from(salt).toString('hex'))).size).toBe(1_000);
  });

  test('clones of a machine, which draw the same random bytes, have other salts for other secrets', () => {
    const { randomBytes } = nodeCrypto;
    const draws: number[] = [];
    const saltOf = (byte: number, context?: Context) =>
      Buffer.from(sealSecret(ikm, { ...place, context }, new Uint8Array(32).fill(byte)).subarray(6, 30));
    const zeros = (length: number) => (draws.push(length), Buffer.alloc(length));
    replaceRandomBytes(zeros);
    try {
      // Uses up what was drawn before.
      while (draws.length === 0) saltOf(0);
      const salts = [saltOf(1), saltOf(2), saltOf(1, { a: 'b' })];
      expect(new Set(salts.map((salt) => salt.toString('hex'))).size).toBe(3);
      const message = pae('eaas salt v1', new Uint8Array(32).fill(1), encodeContext());
      const mac = createHmac('sha256', new Uint8Array(32)).update(message).digest();
      expect(salts[0]).toEqual(mac.subarray(0, 24));
    } finally {
      replaceRandomBytes(randomBytes);
      for (let nth = 0; nth < 64; nth++) saltOf(0);
    }
  });

  test('the key version is read only from data with the length and the prefix of an encrypted secret', () => {
    expect(sealedVersion(sealed)).toBe(7);
    expect(sealedVersion(sealed.subarray(1))).toBeUndefined();
    expect(sealedVersion(Buffer.concat([sealed, sealed]))).toBeUndefined();
    expect(sealedVersion(new Uint8Array(78))).toBeUndefined();
    expect(sealedVersion(new Uint8Array(0))).toBeUndefined();
  });

  test('a secret, salt or version of the wrong length is refused', () => {
    for (const length of [0, 31, 33])
      expect(() => sealSecret(ikm, place, new Uint8Array(length))).toThrow(RangeError);
    for (const length of [0, 23, 25])
      expect(() => sealSecret(ikm, place, secret, new Uint8Array(length))).toThrow(RangeError);
    for (const version of [-1, 2 ** 32])
      expect(() => sealSecret(ikm, { ...place, version }, secret)).toThrow(RangeError);
  });
});

function replaceRandomBytes(draw: (length: number) => Buffer): void {
  nodeCrypto.randomBytes = draw as typeof nodeCrypto.randomBytes;
  syncBuiltinESMExports();
}
