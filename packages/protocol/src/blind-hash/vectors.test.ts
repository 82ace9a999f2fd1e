import { p256_oprf } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import { vectors } from '@eaas/test-kit/vectors';
import { toBase64 } from '../base64.ts';
import { fromHex, toHex } from '../bytes.ts';
import { finish } from '../steps.ts';
import { blindValues } from '@eaas/test-kit/blind-values';
import { inputOf } from './client.ts';
import { scalars } from './curve.ts';
import { evaluate, readElements } from './evaluate.ts';
import { nodeCurve } from './multiply-node.ts';
import { nobleCurve } from './multiply.ts';
import { deriveBlindHashKey } from './service-key.ts';

const { cases, refusals, ...frozen } = vectors('blind-hash');
const scalarOf = (hex: string): bigint => BigInt(`0x${hex}`);
const drawFrom = (hexes: readonly string[]) => {
  const rest = hexes.map(scalarOf);
  return () => rest.shift() ?? 0n;
};
const keyOf = (engine: typeof nodeCurve) =>
  deriveBlindHashKey(engine, fromHex(frozen.hash_key), frozen.tenant_id, frozen.key_id);
const read = (elements: readonly string[]) => {
  const read = finish(readElements(elements));
  if (typeof read === 'number') throw new Error(`element ${read} of a vector is invalid`);
  return read;
};

describe.each([nobleCurve, nodeCurve])('the curve engine $name', (engine) => {
  test('the secret and the public key derive from the hash key', () => {
    const { publicKey, shares } = keyOf(engine);
    expect(toHex(publicKey.bytes)).toBe(frozen.public_key);
    expect(toHex(scalars.toBytes(scalars.add(...shares)))).toBe(frozen.secret);
  });

  test.each(cases)('a client computes the request and the hashes of the vector: $name', (vector) => {
    const values = vector.values.map(fromHex);
    expect(values.map((value) => toHex(inputOf(value)))).toEqual(vector.inputs);
    const blinded = finish(blindValues(engine, values, drawFrom(vector.blinds)));
    expect(blinded.elements).toEqual(vector.request.elements);
    expect(finish(blinded.finish(vector.response))).toEqual(vector.hashes);
  });

  test.each(cases)('a service computes the response of the vector: $name', (vector) => {
    const elements = read(vector.request.elements);
    const evaluation = finish(evaluate(keyOf(engine), elements, drawFrom([vector.proof_random])));
    expect({ key_id: frozen.key_id, ...evaluation }).toEqual(vector.response);
  });
});

describe("noble's implementation of RFC 9497", () => {
  const { voprf } = p256_oprf;
  const keys = voprf.deriveKeyPair(fromHex(frozen.seed), new TextEncoder().encode(frozen.key_info));
  // noble reads the random bytes as a number, and computes the scalar `number mod (n − 1) + 1`.
  const rngOf = (hex: string) => () => fromHex((scalarOf(hex) - 1n).toString(16).padStart(96, '0'));

  test('noble derives the secret and the public key of the vectors', () => {
    expect([keys.secretKey, keys.publicKey].map(toHex)).toEqual([frozen.secret, frozen.public_key]);
  });

  test.each(cases)('noble computes the values of the vector: $name', ({ inputs, blinds, ...vector }) => {
    const blinded = inputs.map((input, at) => voprf.blind(fromHex(input), rngOf(blinds[at] ?? '')));
    expect(blinded.map((one) => toBase64(one.blinded))).toEqual(vector.request.elements);
    const elements = blinded.map((one) => one.blinded);
    const rng = rngOf(vector.proof_random);
    const { evaluated, proof } = voprf.blindEvaluateBatch(keys.secretKey, keys.publicKey, elements, rng);
    expect([...evaluated, proof].map(toBase64)).toEqual([
      ...vector.response.evaluated,
      vector.response.proof,
    ]);
    const items = blinded.map(({ blind, blinded: element }, at) => ({
      blind,
      blinded: element,
      input: fromHex(inputs[at] ?? ''),
      evaluated: evaluated[at] ?? proof,
    }));
    expect(voprf.finalizeBatch(items, keys.publicKey, proof).map(toHex)).toEqual(vector.hashes);
  });
});

test.each(refusals)('the invalid element of the vector is refused: $name', ({ element }) => {
  const [good = ''] = cases[0]?.request.elements ?? [];
  expect(finish(readElements([element]))).toBe(0);
  const last = [...Array.from({ length: 99 }, () => good), element];
  expect(finish(readElements(last))).toBe(99);
});
