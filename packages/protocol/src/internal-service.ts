// What services need of the formats and the wire, beside what everybody may import.
export { equalBytes, using } from './bytes.ts';
export { isIntakeWrapped } from './intake/suite.ts';
export { splitRoute, takesFields } from './wire/endpoint.ts';
export { isSecretKey, keyFault, keyMembers } from './wire/issuers.ts';
export { readJson } from './wire/json.ts';
export { subject } from './wire/primitives.ts';
export { bytesOf } from './wire/rsa-public-key.ts';
export { finish, type Steps } from './steps.ts';
