// What servers, the local service and the command line use.
export { createService, type Fair, type Listener, type Service, type ServiceOptions } from './service.ts';
// What doors call, in this order: a route, who calls, the body, and then the operation.
export { findRoute, locationOf, methodsAt, readInput } from './rules/request.ts';
export { admit, confirm } from './admit.ts';
export { type Arrival, type EndSignal } from './operation.ts';
export { methodNotAllowed, nothingHere } from './rules/refusal.ts';
// What stores are made of.
export {
  type Appended,
  type HeadRow,
  type Known,
  type Link,
  LinkRefused,
  type LockedTenant,
  type LostLink,
  type Owned,
  type Reader,
  type Run,
  type SealedWrite,
  type Store,
  type StoreAtOnce,
  type Stored,
} from './ledger/store.ts';
export { compare, find } from './ledger/query.ts';
export { type Found, idText, nameOf, type Need, type Query, type Ref, type Where } from './ledger/table.ts';
export { type EntryRow, type TallyRow } from './ledger/tables.ts';
// What operators do, and jobs.
export {
  acknowledgeRestore,
  changeTenant,
  newTenant,
  requireUsableName,
  resealTenant,
  tenantRecord,
  type TenantSettings,
} from './operations/tenants.ts';
export { settleKey } from './operations/keys.ts';
export { type Caller, insider, type Part } from './operation.ts';
export { decisionOf, partOf, run, settle, settleAtOnce } from './operate.ts';
export { shownEntry } from './operations/audit.ts';
export { openSignedCheckpoint } from './verify/checkpoint.ts';
export { isAuthenticEntry, readEntries } from './verify/entries.ts';
export { type Verification, verifyTenant, type VerifyOptions } from './verify/verify.ts';
// Rows, and what protects them.
export { beginLink } from './ledger/link.ts';
export { NoTenant } from './ledger/place.ts';
export { Remembered } from './ledger/remembered.ts';
export { monthOf } from './ledger/judge.ts';
export { checkHead, checkRow, heads, openTenant, sealHead, sealRow } from './ledger/rows.ts';
export {
  add,
  allOf,
  put,
  refOf,
  refTo,
  type RowOf,
  type Table,
  tableOf,
  type Write,
} from './ledger/table.ts';
export {
  type AnchorRow,
  anchors,
  apiKeys,
  entries,
  type KeyRow,
  keys,
  type KeyVersionRow,
  keyVersions,
  tallies,
  type TenantRow,
  tenants,
  uses,
} from './ledger/tables.ts';
export {
  openTenantSecrets,
  opensRootCheck,
  type RootKey,
  rootKey,
  type Roots,
  type SealedTenantSecret,
  sealRootCheck,
  type TenantSecrets,
} from './crypto/tenant-secrets.ts';
export { hkdf, hmac, openSecret, sameBytes, sealSecret, verifyEd25519 } from '#platform';
export { keyRecord } from './rules/records.ts';
export { keyDraft, tenantDraft } from './rules/draft.ts';
export { foreignCheckpoint, Refusal, unauthorized } from './rules/refusal.ts';
export { checked, refusalOf } from '@eaas/protocol/internal-service';
export { Tampered } from './rules/tampered.ts';
export { unmasked } from './ledger/sum.ts';
// Plugins.
export { type Plugin } from './plugin.ts';
export { intake } from './plugins/intake/index.ts';
export { type IssuerOptions, issuers } from './plugins/issuers/index.ts';
export { publicKeysIn } from './plugins/issuers/issuer-rules.ts';
export { type IssuerRow } from './plugins/issuers/table.ts';
export {
  type IssuerKey,
  namesUnknownKey,
  openKeys,
  type PresentedToken,
} from './plugins/issuers/token-rules.ts';
export { people } from './plugins/people/index.ts';
export { type SubjectRow, subjects } from './plugins/people/subjects.ts';
