// The exports for a service, which unwraps the data keys that writers wrapped with a public key.
export { type IntakeCrypto, type IntakePrivateKey, intakePrivateKey, openForIntake } from './open.ts';
export { nobleIntakeCrypto, nobleIntakeKey } from './noble.ts';
export { formatPublicKey } from './public-key.ts';
export { intakeKeyInfo, intakeVersion, intakeWrappedTextLength } from './suite.ts';
