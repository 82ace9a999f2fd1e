// What servers, the local service and the command line use.
export * from './service.ts';
export { type Listener, type Step } from './ledger/guess.ts';
export { type HeadMemory, type SeenHead } from './ledger/head-memory.ts';
// The way of a call, and what doors need for it.
export { answer, type Door } from './answer.ts';
export { type Call } from './calls.ts';
export { locationOf, readInput } from './rules/request.ts';
export { strangers } from './caller.ts';
export { type Arrival, type EndSignal } from './operation.ts';
export { methodNotAllowed, nothingHere, unexpected } from './rules/refusal.ts';
// What stores are made of.
export * from './ledger/store.ts';
export { blocks, blocksOf, frequentActions } from './ledger/blocks.ts';
export { compare, find } from './ledger/query.ts';
// What operators do, and jobs.
export * from './operations/tenants.ts';
export { type Contents, type KeptKey, rowsOfKey, withMaterial } from './operations/contents.ts';
export { apiKeyCreation } from './operations/api-keys.ts';
export { keysNamed, settleKey } from './operations/keys.ts';
export { dueChange, newKey } from './rules/key-rules.ts';
export { type Caller, insider, type Part, preparing } from './operation.ts';
export { partOf, run, settle } from './operate.ts';
export { receiptIn, type Settled, type View } from './ledger/decision.ts';
export { shownEntry } from './operations/audit.ts';
export { isAuthenticEntry } from './verify/entries.ts';
export * from './verify/verify.ts';
// Rows, and what protects them.
export { beginLink } from './ledger/link.ts';
export { NoTenant } from './ledger/tenant-cache.ts';
export { Remembered } from './ledger/remembered.ts';
export { SharedRead } from './ledger/shared-read.ts';
export { monthOf } from './ledger/judge.ts';
export { withMac, macHead, checkRow, checkHead, openTenant, unmasked } from './ledger/row-macs.ts';
export * from './ledger/tables.ts';
export * from './ledger/table.ts';
export { type Secret } from './crypto/secret.ts';
export * from './crypto/tenant-secrets.ts';
export { exportSecret, hkdf, hmac, newMaterial, openSecret, sameBytes, sealSecret } from '#platform';
export { verifyEd25519 } from '#platform';
export { keyRecord } from './operations/records.ts';
export { keyDraft, tenantDraft } from './rules/draft.ts';
export { foreignCheckpoint, Refusal, Tampered } from './rules/refusal.ts';
export { attempt } from '@eaas/protocol/internal';
export { checked, refusalOf } from '@eaas/protocol/internal-service';
// Plugins.
export { type Keying, type Plugin, valueIn } from './plugin.ts';
export { forIntake, intake } from './plugins/intake/index.ts';
export { type IssuerOptions, issuers } from './plugins/issuers/index.ts';
export { publicKeysIn, shownTrustIn } from './plugins/issuers/issuer-rules.ts';
export { type IssuerRow, issuers as issuerTable } from './plugins/issuers/table.ts';
export { namesUnknownKey, openKeys } from './plugins/issuers/token-rules.ts';
export { type IssuerKey, type PresentedToken } from './plugins/issuers/token-rules.ts';
export { people } from './plugins/people/index.ts';
export { naming, rowOfSubject, subjects } from './plugins/people/subjects.ts';
