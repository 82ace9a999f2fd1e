import { base64, concat, empty, hkdf, pae, sha256, u16, utf8 } from './bytes.mjs';
import * as p256 from './p256.mjs';

const suite = concat(utf8('OPRFV1-'), Buffer.of(1), utf8('-P256-SHA256'));
const tag = (name) => concat(utf8(name), suite);
const lp = (...parts) => concat(...parts.flatMap((part) => [u16(part.length), part]));
const toScalar = (bytes) => p256.hashToScalar(bytes, tag('HashToScalar-'));
const toGroup = (input) => p256.hashToCurve(input, tag('HashToGroup-'));

/** Derives a secret from a seed (DeriveKeyPair of RFC 9497, section 3.2.1). */
export function deriveSecret(seed, info) {
  const scalar = p256.hashToScalar(concat(seed, lp(info), Buffer.of(0)), tag('DeriveKeyPair'));
  if (scalar === 0n) throw new Error('the first attempt gave 0');
  return scalar;
}

export const seedOf = (hashKey, tenant, key) =>
  hkdf(hashKey, empty, pae('eaas blind hash key v1', tenant, key), 32);

export const inputOf = (value) => pae('eaas blind hash v1', sha256(value));

/** Runs the VOPRF of RFC 9497, section 3.3.2. Returns all messages and outputs for the given random numbers. */
export function run(secret, inputs, blinds, random) {
  const publicKey = p256.multiply(secret, p256.G);
  const hashed = inputs.map(toGroup);
  const blinded = hashed.map((point, at) => p256.multiply(blinds[at], point));
  const evaluated = blinded.map((point) => p256.multiply(secret, point));
  return {
    public_key: p256.pointBytes(publicKey),
    elements: blinded.map(p256.pointBytes),
    evaluated: evaluated.map(p256.pointBytes),
    proof: prove(secret, publicKey, blinded, evaluated, random),
    hashes: inputs.map((input, at) => finalize(input, p256.multiply(secret, hashed[at]))),
  };
}

function prove(secret, publicKey, blinded, evaluated, random) {
  const seed = sha256(lp(p256.pointBytes(publicKey), tag('Seed-')));
  const factors = blinded.map((point, at) =>
    toScalar(
      concat(
        lp(seed),
        u16(at),
        lp(p256.pointBytes(point), p256.pointBytes(evaluated[at])),
        utf8('Composite'),
      ),
    ),
  );
  const sum = blinded.map((point, at) => p256.multiply(factors[at], point)).reduce(p256.add, null);
  const points = [
    publicKey,
    sum,
    p256.multiply(secret, sum),
    p256.multiply(random, p256.G),
    p256.multiply(random, sum),
  ];
  const c = toScalar(concat(lp(...points.map(p256.pointBytes)), utf8('Challenge')));
  return concat(p256.scalarBytes(c), p256.scalarBytes(p256.mod(random - c * secret, p256.n)));
}

const finalize = (input, point) => sha256(concat(lp(input, p256.pointBytes(point)), utf8('Finalize')));

/** Returns whether the text is a valid element of a request. */
export function isElement(text) {
  const bytes = Buffer.from(text, 'base64');
  return base64(bytes) === text && p256.readPoint(bytes) !== null;
}
