import { createPublicKey, createSecretKey, randomBytes, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs, some } from '@eaas/test-kit/cases';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { openCheckpoint, signCheckpoint } from './checkpoint.ts';

const { cases, accepted, refusals } = vectors('checkpoint');
const seedOf = new Map(cases.map(({ verifier_key, seed }) => [verifier_key, createSecretKey(bytes(seed))]));
const seedFor = (verifierKey: string) => {
  const seed = seedOf.get(verifierKey);
  if (!seed) throw new Error('no seed');
  return seed;
};
const stated = ({ id, hash }: { id: number; hash: string }) => ({
  id,
  hash: new Uint8Array(Buffer.from(hash, 'hex')),
});

const T = '00000000-0000-4000-8000-000000000001';
const seed = createSecretKey(randomBytes(32));
const hash = new Uint8Array(randomBytes(32));
const { checkpoint, verifierKey } = signCheckpoint(seed, T, 42, hash);
const [text = '', signature = ''] = checkpoint.split(/(?<=\n)\n/);

describe('checkpoints', () => {
  test.each(cases)('signing gives the expected checkpoint of the test vector: $name', (vector) => {
    const { tenant_id, id, hash, note, verifier_key } = vector;
    const signed = signCheckpoint(seedFor(verifier_key), tenant_id, id, Buffer.from(hash, 'hex'));
    expect(signed).toEqual({ checkpoint: note, verifierKey: verifier_key });
    expect(openCheckpoint(seedFor(verifier_key), tenant_id, note)).toEqual(stated(vector));
  });

  test.each(accepted)('the checkpoint of the test vector is accepted: $name', (vector) => {
    const seed = seedFor(vector.verifier_key);
    expect(openCheckpoint(seed, vector.tenant_id, vector.note)).toEqual(stated(vector));
  });

  test.each(refusals)(
    'the invalid checkpoint of the test vector is refused: $name',
    ({ tenant_id, verifier_key, note }) => {
      expect(openCheckpoint(seedFor(verifier_key), tenant_id, note)).toBeUndefined();
    },
  );

  test('a checkpoint of any head can be verified with only the verifier key', () => {
    const publicBytes = Buffer.from(verifierKey.split('+').slice(2).join('+'), 'base64').subarray(1);
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicBytes.toString('base64url') };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (id, hash) => {
        const { checkpoint } = signCheckpoint(seed, T, id, hash);
        expect(openCheckpoint(seed, T, checkpoint)).toEqual({ id, hash });
        const [text = '', line = ''] = checkpoint.split('\n\n');
        const signature = Buffer.from(line.trim().split(' ').at(-1) ?? '', 'base64').subarray(4);
        expect(verify(null, Buffer.from(`${text}\n`), publicKey, signature)).toBe(true);
      }),
      { numRuns: runs(30) },
    );
  });

  test('a checkpoint is accepted only for its tenant and its key', () => {
    const other = '00000000-0000-4000-8000-000000000002';
    expect(openCheckpoint(seed, T, checkpoint)).toEqual({ id: 42, hash });
    expect(openCheckpoint(seed, other, checkpoint)).toBeUndefined();
    expect(openCheckpoint(createSecretKey(randomBytes(32)), T, checkpoint)).toBeUndefined();
  });

  test('a checkpoint is refused if any part was changed, added, removed or repeated', () => {
    expect(`${text}\n${signature}`).toBe(checkpoint);
    for (const at of some(
      30,
      Array.from(checkpoint, (_, at) => at),
    )) {
      const [before, after] = [checkpoint.slice(0, at), checkpoint.slice(at + 1)];
      expect(openCheckpoint(seed, T, before + after)).toBeUndefined();
      for (const inserted of ['\n', ' ', 'A', '=', '\ud800'])
        expect(openCheckpoint(seed, T, before + inserted + checkpoint.slice(at))).toBeUndefined();
    }
    for (const other of [
      `${checkpoint}\n`,
      checkpoint + signature,
      checkpoint + checkpoint,
      `\n${checkpoint}`,
    ])
      expect(openCheckpoint(seed, T, other)).toBeUndefined();
  });
});
