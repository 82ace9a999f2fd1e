// What services need of the formats and the wire, and the SDK's proxy, beside what everybody may import.
export { type IntakeCrypto, type IntakePrivateKey, intakePrivateKey, openForIntake } from './intake/open.ts';
export { nobleIntakeCrypto, nobleIntakeKey } from './intake/noble.ts';
export { formatPublicKey } from './intake/public-key.ts';
export { intakeForm, intakeKeyInfo, intakeVersion, isIntakeWrapped } from './intake/suite.ts';
export * from './wire/body.ts';
export * from './wire/output.ts';
export { explain } from './wire/explain.ts';
export { canWrite, replaceRoutes, splitRoute, takesFields } from './wire/endpoint.ts';
export { readJson } from './wire/json.ts';
export { isSecretKey, type Jwk, keyFault, keyMembers } from './wire/issuers.ts';
export { isObject, subject } from './wire/primitives.ts';
export * from './wire/refusal.ts';
export { bytesOf } from './wire/rsa-public-key.ts';
export { hasControlCharacter } from './text.ts';
