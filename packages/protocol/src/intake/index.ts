export { formatPublicKey, type IntakePublicKey, parsePublicKey } from './public-key.ts';
export { wrapForIntake } from './seal.ts';
export { type IntakePlace, intakeVersion, intakeWrappedLength } from './suite.ts';
