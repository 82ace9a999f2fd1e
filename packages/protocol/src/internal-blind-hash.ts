export { type BlindingTools, blindWith } from './blind-hash/client.ts';
export { nobleCurve } from './blind-hash/multiply.ts';
export { proofErrors } from './blind-hash/proof-error.ts';
