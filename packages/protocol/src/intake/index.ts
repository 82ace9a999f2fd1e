// What a writer without credentials needs: the public key as text, and a data key wrapped with it. The SDK's intake imports it.
export { type IntakePublicKey, parsePublicKey } from './public-key.ts';
export { wrapForIntake } from './seal.ts';
export type { IntakePlace } from './suite.ts';
