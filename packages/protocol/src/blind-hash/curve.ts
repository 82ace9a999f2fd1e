import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';
import { p256_hasher } from '@noble/curves/nist.js';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** A point of P-256. */
export type CurvePoint = WeierstrassPoint<bigint>;

/** A point, and its compressed encoding (SEC 1). */
export interface Element {
  readonly bytes: Uint8Array;
  readonly point: CurvePoint;
}

const elementLength = 33;
export const scalarLength = 32;

export const { Point } = p256_hasher;
export const field = Point.Fp;
export const scalars = Point.Fn;

/** The context string of RFC 9497 for VOPRF (mode 0x01) with P-256 and SHA-256. */
const suite = concat(utf8ToBytes('OPRFV1-'), Uint8Array.of(1), utf8ToBytes('-P256-SHA256'));
export const seedTag = concat(utf8ToBytes('Seed-'), suite);
const groupTag = concat(utf8ToBytes('HashToGroup-'), suite);
const scalarTag = concat(utf8ToBytes('HashToScalar-'), suite);
const keyTag = concat(utf8ToBytes('DeriveKeyPair'), suite);

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export const u16 = (integer: number): Uint8Array => Uint8Array.of(integer >> 8, integer);

export const prefixed = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  concat(...parts.flatMap((part) => [u16(part.length), part]));

export const hashToGroup = (input: Uint8Array): CurvePoint =>
  p256_hasher.hashToCurve(input, { DST: groupTag });

export const hashToScalar = (...parts: readonly Uint8Array[]): bigint =>
  p256_hasher.hashToScalar(concat(...parts), { DST: scalarTag });

export const hashToKey = (message: Uint8Array): bigint => p256_hasher.hashToScalar(message, { DST: keyTag });

/** A scalar from 48 random bytes has a bias below 2^-128. */
export function randomScalar(): bigint {
  const random = BigInt(`0x${bytesToHex(randomBytes(48))}`);
  return (random % (scalars.ORDER - 1n)) + 1n;
}

export function readElement(bytes: Uint8Array | undefined): Element | undefined {
  if (bytes?.length !== elementLength) return undefined;
  try {
    return { bytes, point: Point.fromBytes(bytes) };
  } catch {
    return undefined;
  }
}

export function elementOf(point: CurvePoint): Element {
  const affine = Point.fromAffine(point.toAffine());
  return { bytes: affine.toBytes(), point: affine };
}
