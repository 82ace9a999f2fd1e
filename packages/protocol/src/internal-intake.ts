// Services import this entry point. Writers import `@eaas/protocol/intake`.
export { type IntakeCrypto, type IntakePrivateKey, intakePrivateKey, openForIntake } from './intake/open.ts';
export { nobleIntakeCrypto, nobleIntakeKey } from './intake/noble.ts';
export { formatPublicKey } from './intake/public-key.ts';
export { intakeForm, intakeKeyInfo, intakeVersion } from './intake/suite.ts';
export { saltEnd, saltLength, serviceForm, serviceWrappedLength, subjectForm } from './wrapped-key.ts';
export { versionEnd, versionIn, type WrappedForm } from './wrapped-key.ts';
