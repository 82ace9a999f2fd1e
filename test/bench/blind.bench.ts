import { p256_oprf } from '@noble/curves/nist.js';
import {
  deriveBlindHashKey,
  evaluate,
  type Evaluation,
  nobleCurve,
  readElements,
} from '@eaas/protocol/blind-hash';
import { nodeCurve } from '@eaas/protocol/blind-hash-node';
import { finish } from '@eaas/protocol/service';
import { blindValues } from '@eaas/test-kit/blind-values';
import { randomElements } from '@eaas/test-kit/elements';
import type { Benchmark } from './compare.ts';

const { voprf } = p256_oprf;
const hashKey = crypto.getRandomValues(new Uint8Array(32));
const key = deriveBlindHashKey(nodeCurve, hashKey, 'tenant', 'key');
const pair = voprf.deriveKeyPair(hashKey, new Uint8Array(0));

const all = Array.from({ length: 50 }, () => crypto.getRandomValues(new Uint8Array(32)));
const requested = randomElements(100);
const requestedBytes = requested.map((element) => new Uint8Array(Buffer.from(element, 'base64')));

function respond(elements: readonly string[]): Evaluation {
  const read = finish(readElements(elements));
  if (typeof read === 'number')
    throw new Error(`each element must be a point on P-256 (got another value in element ${read})`);
  return finish(evaluate(key, read));
}

function client(engine: typeof nodeCurve, values = all) {
  const blinded = finish(blindValues(engine, values));
  const response = respond(blinded.elements);
  return () => {
    finish(blindValues(engine, values));
    return finish(blinded.finish(response));
  };
}

function nobleClient(values = all) {
  const blinded = values.map((value) => voprf.blind(value));
  const elements = blinded.map((one) => one.blinded);
  const { evaluated, proof } = voprf.blindEvaluateBatch(pair.secretKey, pair.publicKey, elements);
  const items = values.map((input, at) => ({
    input,
    blind: blinded[at]?.blind ?? input,
    blinded: elements[at] ?? input,
    evaluated: evaluated[at] ?? input,
  }));
  return () => {
    for (const value of values) voprf.blind(value);
    return voprf.finalizeBatch(items, pair.publicKey, proof);
  };
}

const reference = { name: 'noble voprf client', size: 50, run: nobleClient() };
const one = all.slice(0, 1);

export const benchmark: Benchmark = {
  name: 'blind',
  about:
    'blind hashes in the service (100 elements per request) and in the client (50 values or 1 value), compared with the library noble',
  comparisons: async () => [
    {
      ours: { name: 'service', size: 100, run: () => respond(requested) },
      reference: {
        name: 'noble blindEvaluateBatch',
        size: 100,
        run: () => voprf.blindEvaluateBatch(pair.secretKey, pair.publicKey, requestedBytes),
      },
      target: 2,
    },
    { ours: { name: 'client, node:crypto', size: 50, run: client(nodeCurve) }, reference, target: 2 },
    { ours: { name: 'client, noble', size: 50, run: client(nobleCurve) }, reference },
    {
      ours: { name: 'client, node:crypto, 1 value', run: client(nodeCurve, one) },
      reference: { name: 'noble voprf client, 1 value', run: nobleClient(one) },
    },
  ],
};
