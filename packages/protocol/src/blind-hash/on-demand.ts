export { type BlindingTools, blindWith } from './client.ts';
export { nobleCurve } from './multiply.ts';
export { PublicKeyChangedError } from './proof-error.ts';
