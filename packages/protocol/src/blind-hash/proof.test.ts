import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { fromBase64, toBase64 } from '../base64.ts';
import { toUtf8 } from '../text.ts';
import { finish } from '../steps.ts';
import { blindValues, ProofError } from '@eaas/test-kit/blind-values';
import type { BlindedValues } from './client.ts';
import { concat, elementOf, Point, scalars } from './curve.ts';
import { evaluate, type Evaluation, readElements } from './evaluate.ts';
import { nodeCurve } from './multiply-node.ts';
import { nobleCurve } from './multiply.ts';
import { deriveBlindHashKey } from './service-key.ts';

const tenant = '00000000-0000-4000-8000-000000000001';
const keyOf = (keyId: string) => deriveBlindHashKey(nodeCurve, new Uint8Array(32).fill(7), tenant, keyId);
const [key, otherKey] = [keyOf('00000000-0000-4000-8000-000000000002'), keyOf('another key')];

function respond({ elements }: BlindedValues, by = key): Evaluation {
  const read = finish(readElements(elements));
  if (typeof read === 'number') throw new Error(`the client sent an invalid element at ${read}`);
  return finish(evaluate(by, read));
}

const values = ['ada', 'bob', 'ada'].map((name) => toUtf8(name));

describe.each([nobleCurve, nodeCurve])('the client with the curve engine $name', (engine) => {
  let blinded: BlindedValues;
  let response: Evaluation;
  beforeAll(() => {
    blinded = finish(blindValues(engine, values));
    response = respond(blinded);
  });

  const finishing = (change: Partial<Evaluation>) => () => finish(blinded.finish({ ...response, ...change }));

  test('equal values have equal hashes, and no element is sent twice', () => {
    const again = finish(blindValues(engine, values));
    const hashes = finish(blinded.finish(response));
    expect(hashes[0]).toBe(hashes[2]);
    expect(hashes[0]).not.toBe(hashes[1]);
    expect(finish(again.finish(respond(again)))).toEqual(hashes);
    expect(new Set([...blinded.elements, ...again.elements]).size).toBe(6);
  });

  test('a response that was evaluated with a different key gives different hashes', () => {
    const hashes = finish(blinded.finish(response));
    for (const hash of finish(blinded.finish(respond(blinded, otherKey)))) expect(hashes).not.toContain(hash);
  });

  test('a response with one changed bit is refused', () => {
    const flipped = (text: string, bit: number): string => {
      const bytes = fromBase64(text);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return toBase64(bytes);
    };
    const changes = fc.oneof(
      fc.tuple(fc.nat(2), fc.nat(33 * 8 - 1)).map(([index, bit]) => ({
        evaluated: response.evaluated.map((text, at) => (at === index ? flipped(text, bit) : text)),
      })),
      fc.nat(64 * 8 - 1).map((bit) => ({ proof: flipped(response.proof, bit) })),
      fc.nat(33 * 8 - 1).map((bit) => ({ public_key: flipped(response.public_key, bit) })),
    );
    fc.assert(
      fc.property(changes, (change) => {
        expect(finishing(change)).toThrow(ProofError);
      }),
      { numRuns: runs(40) },
    );
  });

  test('a response with swapped, missing, additional or repeated elements is refused', () => {
    const [first = '', second = '', third = ''] = response.evaluated;
    for (const evaluated of [
      [second, first, third],
      [first, second],
      [first, second, third, third],
      [first, first, third],
      [],
    ])
      expect(finishing({ evaluated })).toThrow(ProofError);
  });

  test('a response with the public key, the proof or the elements of another key is refused', () => {
    const { public_key, proof, evaluated } = respond(blinded, otherKey);
    expect(finishing({ public_key })).toThrow(ProofError);
    expect(finishing({ proof })).toThrow(ProofError);
    expect(finishing({ evaluated })).toThrow(ProofError);
    expect(finishing({ public_key, proof })).toThrow(ProofError);
    expect(finishing({ evaluated, proof })).toThrow(ProofError);
  });

  test('a response to another request is refused', () => {
    const { evaluated, proof } = respond(finish(blindValues(engine, values)));
    expect(finishing({ proof })).toThrow(ProofError);
    expect(finishing({ evaluated, proof })).toThrow(ProofError);
  });

  test('a response with missing bytes or with base64 that is not canonical is refused', () => {
    expect(finishing({ proof: `${response.proof}\n` })).toThrow(ProofError);
    expect(finishing({ proof: toBase64(fromBase64(response.proof).subarray(1)) })).toThrow(ProofError);
    expect(finishing({ proof: '' })).toThrow(ProofError);
    expect(finishing({ public_key: '' })).toThrow(ProofError);
    expect(finishing({ public_key: 'AA==' })).toThrow(ProofError);
  });

  test.each<[string, (secret: bigint) => readonly [bigint, bigint]]>([
    ['a sum without coordinates', (secret) => [5n, scalars.mul(5n, scalars.neg(secret))]],
    ['c = 0', () => [0n, 5n]],
    ['s = 0', () => [5n, 0n]],
    ['c = s = 1', () => [1n, 1n]],
    ['c = s = n − 1', () => [scalars.ORDER - 1n, scalars.ORDER - 1n]],
  ])('a service that knows the secret cannot make a proof with %s', (_, choose) => {
    const [c, s] = choose(scalars.add(...key.shares));
    expect(finishing({ proof: toBase64(concat(scalars.toBytes(c), scalars.toBytes(s))) })).toThrow(
      ProofError,
    );
  });

  test('a proof with a number that is not below the order of the curve is refused', () => {
    expect(finishing({ proof: toBase64(new Uint8Array(64).fill(0xff)) })).toThrow(ProofError);
    const c = fromBase64(response.proof).subarray(0, 32);
    const order = new Uint8Array(32);
    order.set(scalars.toBytes(scalars.ORDER - 1n));
    order[31] = (order[31] ?? 0) + 1;
    expect(finishing({ proof: toBase64(concat(c, order)) })).toThrow(ProofError);
  });

  test('the error contains no part of the values or of the response', () => {
    const evaluated = response.evaluated.map(() => toBase64(elementOf(Point.BASE).bytes));
    const refused = expect.objectContaining({ code: 'proof_invalid', retryable: false });
    expect(finishing({ evaluated })).toThrow(refused);
    expect(finishing({ evaluated })).toThrow(new ProofError().message);
  });
});

test('two evaluations of one request have different proofs', () => {
  const blinded = finish(blindValues(nodeCurve, values));
  const [one, other] = [respond(blinded), respond(blinded)];
  expect(one.evaluated).toEqual(other.evaluated);
  expect(one.proof).not.toBe(other.proof);
});

test('the service yields after each element', () => {
  const elements = finish(blindValues(nodeCurve, values)).elements;
  const countSteps = (steps: Generator): number => Array.from(steps).length;
  const read = finish(readElements(elements));
  expect(countSteps(readElements(elements))).toBe(3);
  expect(Array.isArray(read) ? countSteps(evaluate(key, read)) : read).toBe(6);
});
