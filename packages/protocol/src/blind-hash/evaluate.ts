import { readBase64, toBase64 } from '../base64.ts';
import type { Output } from '../wire/endpoints.ts';
import type { Steps } from '../steps.ts';
import { concat, type Element, elementOf, randomScalar, readElement, scalars } from './curve.ts';
import { challengeOf, combine } from './proof.ts';
import type { BlindHashKey } from './service-key.ts';

/** The response to a blind hash: the multiplied elements and their proof. */
export type Evaluation = Omit<Output<'POST /v1/hash/blind'>, 'key_id'>;

/** Returns the index of the first invalid element, if there is one. */
export function* readElements(texts: readonly string[]): Steps<Element[] | number> {
  const elements: Element[] = [];
  for (const text of texts) {
    const element = readElement(readBase64(text));
    if (!element) return elements.length;
    elements.push(element);
    yield;
  }
  return elements;
}

/** One proof covers all elements. Yields after each element, so that the caller can pause. */
export function* evaluate(
  key: BlindHashKey,
  blinded: readonly Element[],
  draw = randomScalar,
): Steps<Evaluation> {
  const { engine, publicKey, secret } = key;
  const evaluated: Element[] = [];
  for (const { point } of blinded) {
    evaluated.push(elementOf(secret.multiply(point)));
    yield;
  }
  const [combined = publicKey] = yield* combine(engine, { publicKey, blinded, evaluated }, blinded);
  const proof = prove(key, combined, draw);
  return {
    evaluated: evaluated.map(({ bytes }) => toBase64(bytes)),
    proof: toBase64(proof),
    public_key: toBase64(publicKey.bytes),
  };
}

/** GenerateProof of RFC 9497. Proves that the public key and the evaluated elements belong to the same secret. */
function prove(
  { engine, publicKey, secret, shares }: BlindHashKey,
  combined: Element,
  draw: typeof randomScalar,
): Uint8Array {
  // Each proof needs a new random number. Anyone who learns the number, or sees two proofs with the same number, can
  // compute the secret.
  const random = draw();
  const multiplier = engine.multiplier(random);
  const evaluated = elementOf(secret.multiply(combined.point));
  const commitments = [multiplier.base(), multiplier.multiply(combined.point)].map(elementOf);
  const c = challengeOf(publicKey, combined, evaluated, ...commitments);
  // Computes `s = random − c·secret`. Splits the secret into two new random shares, so that the time of the bigint
  // operations does not reveal the secret.
  const shift = randomScalar();
  const s = [shares[0] + shift, shares[1] - shift].reduce(
    (rest, share) => scalars.sub(rest, scalars.mul(c, scalars.create(share))),
    random,
  );
  return concat(scalars.toBytes(c), scalars.toBytes(s));
}
