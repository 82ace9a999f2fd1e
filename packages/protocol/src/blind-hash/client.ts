import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { readBase64, toBase64 } from '../base64.ts';
import type { Steps } from '../steps.ts';
import {
  concat,
  type Element,
  elementOf,
  hashToGroup,
  Point,
  prefixed,
  randomScalar,
  readElement,
  scalarLength,
  scalars,
} from './curve.ts';
import type { Evaluation } from './evaluate.ts';
import type { CurveEngine } from './multiply.ts';
import { challengeOf, combine } from './proof.ts';
import type { ProofError } from './proof-error.ts';

/** Blinded values, and what turns the response into their blind hashes. */
export interface BlindedValues {
  readonly elements: readonly string[];
  /**
   * Verifies the proof of the response, and returns the blind hash of each value in lower-case hex. Throws ProofError
   * if the proof is invalid. Compare `public_key` with the expected public key before this call.
   */
  finish(response: Evaluation): Steps<string[]>;
}

const finalize = utf8ToBytes('Finalize');

/**
 * The functions that the caller passes to this module. If this module imported them, a page would have to load more
 * files at its start.
 */
export interface BlindingTools {
  readonly engine: CurveEngine;
  readonly readBase64: typeof readBase64;
  readonly toBase64: typeof toBase64;
  readonly ProofError: new () => ProofError;
}

interface Blinded {
  readonly input: Uint8Array;
  readonly blind: bigint;
  readonly element: Element;
}

/** Blinds values. The caller can pause at each step. */
export function* blindWith(
  tools: BlindingTools,
  values: readonly Uint8Array[],
  draw = randomScalar,
): Steps<BlindedValues> {
  const blinded: Blinded[] = [];
  for (const value of values) {
    blinded.push(blindValue(tools.engine, value, draw()));
    yield;
  }
  return {
    elements: blinded.map(({ element }) => tools.toBase64(element.bytes)),
    finish: (response) => finish(tools, blinded, response),
  };
}

// What `pae` writes before the digest: two parts, the first of 18 bytes, the second of 32.
const inputPrefix = utf8ToBytes('\0\0\0\x02\0\0\0\x12eaas blind hash v1\0\0\0\x20');

/** `pae` of a label and the hash of the value: RFC 9497 limits inputs to 65,535 bytes. */
export const inputOf = (value: Uint8Array): Uint8Array => concat(inputPrefix, sha256(value));

function blindValue(engine: CurveEngine, value: Uint8Array, blind: bigint): Blinded {
  const input = inputOf(value);
  return { input, blind, element: elementOf(engine.multiplier(blind).multiply(hashToGroup(input))) };
}

function* finish(tools: BlindingTools, blinded: readonly Blinded[], response: Evaluation): Steps<string[]> {
  const { engine } = tools;
  const evaluated = yield* verify(
    tools,
    blinded.map(({ element }) => element),
    response,
  );
  const hashes: string[] = [];
  for (const [index, { input, blind }] of blinded.entries()) {
    const { point } = evaluated[index] ?? invalid(tools);
    const unblinded = elementOf(engine.multiplier(scalars.inv(blind)).multiply(point));
    hashes.push(bytesToHex(sha256(concat(prefixed(input, unblinded.bytes), finalize))));
    yield;
  }
  return hashes;
}

function* verify(tools: BlindingTools, blinded: readonly Element[], response: Evaluation): Steps<Element[]> {
  const { engine, readBase64: decode } = tools;
  const publicKey = readElement(decode(response.public_key)) ?? invalid(tools);
  const proof = decode(response.proof);
  if (proof?.length !== 2 * scalarLength || response.evaluated.length !== blinded.length) invalid(tools);
  const evaluated: Element[] = [];
  for (const text of response.evaluated) {
    evaluated.push(readElement(decode(text)) ?? invalid(tools));
    yield;
  }
  const sums = yield* combine(engine, { publicKey, blinded, evaluated }, blinded, evaluated);
  if (!isProof(engine, publicKey, sums, proof)) invalid(tools);
  return evaluated;
}

/** VerifyProof of RFC 9497. */
function isProof(
  { sums }: CurveEngine,
  publicKey: Element,
  [asked = publicKey, evaluated = publicKey]: readonly Element[],
  proof: Uint8Array,
): boolean {
  try {
    const c = scalars.fromBytes(proof.subarray(0, scalarLength));
    const s = scalars.fromBytes(proof.subarray(scalarLength));
    const terms = [
      [Point.BASE, publicKey.point],
      [asked.point, evaluated.point],
    ];
    // A hostile service can choose its response so that the sum of points is the point at infinity. `elementOf` then
    // throws.
    const commitments = sums([s, c], ...terms).map(elementOf);
    return challengeOf(publicKey, asked, evaluated, ...commitments) === c;
  } catch {
    return false;
  }
}

function invalid({ ProofError }: BlindingTools): never {
  throw new ProofError();
}
