// What servers, the local service and the command line use.
export { createService, type Fair, type Service } from './service.ts';
export { type Listener } from './ledger/guess.ts';
// What doors call, in this order: who calls, the body, and then the operation.
export { locationOf, readInput } from './rules/request.ts';
export { admit, confirm } from './admit.ts';
export { type Arrival, type EndSignal } from './operation.ts';
export { methodNotAllowed, nothingHere } from './rules/refusal.ts';
// What stores are made of.
export * from './ledger/store.ts';
export { compare, find } from './ledger/query.ts';
// What operators do, and jobs.
export * from './operations/tenants.ts';
export { settleKey } from './operations/keys.ts';
export { type Caller, insider, type Part } from './operation.ts';
export { decisionOf, partOf, run, settle } from './operate.ts';
export { shownEntry } from './operations/audit.ts';
export { openSignedCheckpoint } from './verify/checkpoint.ts';
export { isAuthenticEntry, readEntries } from './verify/entries.ts';
export { type Verification, verifyTenant, type VerifyOptions } from './verify/verify.ts';
// Rows, and what protects them.
export { beginLink } from './ledger/link.ts';
export { NoTenant } from './ledger/place.ts';
export { Remembered } from './ledger/remembered.ts';
export { monthOf } from './ledger/judge.ts';
export * from './ledger/rows.ts';
export * from './ledger/tables.ts';
export * from './crypto/tenant-secrets.ts';
export { hkdf, hmac, openSecret, sameBytes, sealSecret, verifyEd25519 } from '#platform';
export { keyRecord } from './operations/records.ts';
export { keyDraft, tenantDraft } from './rules/draft.ts';
export { changedTooOften, foreignCheckpoint, Refusal, Tampered } from './rules/refusal.ts';
export { checked, refusalOf } from '@eaas/protocol/internal-service';
// Plugins.
export { type Plugin } from './plugin.ts';
export { intake } from './plugins/intake/index.ts';
export { type IssuerOptions, issuers } from './plugins/issuers/index.ts';
export { publicKeysIn } from './plugins/issuers/issuer-rules.ts';
export { type IssuerRow } from './plugins/issuers/table.ts';
export { namesUnknownKey, openKeys } from './plugins/issuers/token-rules.ts';
export { type IssuerKey, type PresentedToken } from './plugins/issuers/token-rules.ts';
export { people } from './plugins/people/index.ts';
export { type SubjectRow, subjects } from './plugins/people/subjects.ts';
