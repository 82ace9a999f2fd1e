export type { BlindedValues } from './client.ts';
export { type CurvePoint, type Element } from './curve.ts';
export { evaluate, type Evaluation, readElements } from './evaluate.ts';
export { type CurveEngine, type Multiplier, nobleCurve } from './multiply.ts';
export type { ProofError, PublicKeyChangedError } from './proof-error.ts';
export { type BlindHashKey, deriveBlindHashKey } from './service-key.ts';
