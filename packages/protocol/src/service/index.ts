export { splitRoute, takesFields } from '../wire/endpoint.ts';
export { using } from '../bytes.ts';
export { finish, type Steps } from '../steps.ts';
export { type ApiKeyFields, isPermanentManager, keyIdsIn, newApiKey } from './api-key-rules.ts';
export { patchedApiKey, revokedApiKey } from './api-key-rules.ts';
export type { Holder, SignIn } from './authorize.ts';
export { type RequestedCall, authorize, bearerToken, type Reach, requireKeyId } from './authorize.ts';
export { type BatchResult, itemReader, orRefusal, ruleEach, runBatch, withReceipt } from './batch.ts';
export { type Changed, changedTenant, changesOf, type Moment, type TenantSettings } from './changes.ts';
export { hashRule, type KeyCrypto, type KeyRule, rewrapRule } from './data-key-rules.ts';
export { type Ruling, unwrapRule, wrapRule } from './data-key-rules.ts';
export { type Draft, keyDraft, logged, refusalOutcome, tenantDraft } from './draft.ts';
export { type IssuerFields, issuerRecord, listedIssuer, newIssuer, type LiveIssuer } from './issuer-rules.ts';
export { patchedIssuer, publicKeysIn, revokedIssuer, shownTrust } from './issuer-rules.ts';
export { fieldHash, jwkThumbprint } from './hashes.ts';
export {
  destroyed,
  disabled,
  enabled,
  newKey,
  rescheduled,
  restored,
  rotated,
  settled,
} from './key-rules.ts';
export { type KeyFields, type KeyStatus, refusedByStatus } from './key-rules.ts';
export { requireExportable, requireStatus } from './key-rules.ts';
export { apiKeyRecord, keyRecord, timeOrNull } from './records.ts';
export { apiKeyNotFound, auditUnwritten, badRequest, bodyCut } from './refusal.ts';
export { bodyTooLarge, foreignCheckpoint, issuerNotFound, keyNotFound, methodNotAllowed } from './refusal.ts';
export { noPublicLog, nothingHere, quotaExceeded, Refusal, requestTimeout, unauthorized } from './refusal.ts';
export { checkBody, checked, parseBody, requireBodyType } from './request.ts';
export { findRoute, locationOf, methodsAt, readQuery, routes } from './request.ts';
export {
  erasureDraft,
  exportsSubjects,
  isForAnother,
  loggedIdLength,
  requireNoUser,
  requireSubjectId,
  type People,
  type Subject,
  type Who,
} from './subject-rules.ts';
export { type SubjectFields, subjectNotFound, subjectRecord } from './subject-rules.ts';
export {
  fittingKey,
  type IssuerKey,
  namesUnknownKey,
  openIssuer,
  type OpenIssuer,
  openKeys,
} from './token-rules.ts';
export { type PresentedToken, readToken, rightsOf } from './token-rules.ts';
export { type Bundle, decryptRule, encryptRule, openBundle } from './server-mode-rules.ts';
export { type PresentedBundle, sealBundle, wrappedKeyIn } from './server-mode-rules.ts';
