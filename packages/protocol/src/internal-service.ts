// What services need of the formats and the wire, and the SDK's proxy, beside what everybody may import.
export { attempt, equalBytes, using } from './bytes.ts';
export { deriveBy } from './derive.ts';
export { isIntakeWrapped } from './intake/suite.ts';
export { type BatchResult, checkBody, checked, parseBody, requireBodyType, resultOf } from './wire/body.ts';
export { type Member, membersOf, Misfit, shown, shownMembers } from './wire/output.ts';
export { replaceRoutes, splitRoute, takesFields } from './wire/endpoint.ts';
export { readJson } from './wire/json.ts';
export { isSecretKey, type Jwk, keyFault, keyMembers } from './wire/issuers.ts';
export { subject } from './wire/primitives.ts';
export { badRequest, bodyTooLarge, orRefusal, Refusal, refusalOf } from './wire/refusal.ts';
export type { Draft, RefusalOptions } from './wire/refusal.ts';
export { bytesOf } from './wire/rsa-public-key.ts';
