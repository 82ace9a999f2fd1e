/// <reference types="node" preserve="true" />
export { migrateDatabase } from './app/migrate-database.ts';
export {
  asOwner,
  databaseOf,
  loadRoots,
  type OpenDatabase,
  openDatabase,
  type OpenService,
  openService,
  type Purpose,
  schemaFault,
} from './app/open-service.ts';
export type { Extra, JobContext, ServeOptions } from './app/options.ts';
export type { PublicLog, Service } from './app/service.ts';
export { hostOf, isLoopback } from './base/addresses.ts';
export { CannotStart, reasonOf, unusableDatabase } from './base/cannot-start.ts';
export { ifExists, replaceFile, syncDirectory, writeNewFile } from './base/durable-files.ts';
export { Explained, Refusal, Tampered } from './base/refusal.ts';
export { logLevels } from './base/log-lines.ts';
export { SharedRead } from './base/shared-read.ts';
export { asTyped, asWord } from './base/shell-word.ts';
export { timeLimit } from './base/time-limit.ts';
export { hashApiKey } from './state/tokens.ts';
export { type ChainHead, openSignedCheckpoint } from './crypto/checkpoint.ts';
export { ed25519Keys, verifyEd25519 } from './crypto/ed25519.ts';
export { rootKey, type Roots } from './crypto/key-hierarchy.ts';
export { sameBytes } from './crypto/hmac.ts';
export { openSecret, sealSecret } from './crypto/sealed-secret.ts';
export type { ConsoleSession } from './http/console.ts';
export { type Address, announce, freePort, listening, readTls } from './http/listen.ts';
export { type Lease } from './jobs/schedule.ts';
export { createApiKey } from './operations/api-keys.ts';
export { shownEntry, type ShownEntry } from './operations/audit.ts';
export { createKey } from './operations/keys.ts';
export { checkRootKey, rotateRootKey } from './operations/root-keys.ts';
export { operations } from './operations/table.ts';
export {
  acknowledgeRestore,
  createTenant,
  destroyTenant,
  listTenants,
  requireTenant,
  requireTenantId,
  type TenantSettings,
  type TenantRecord,
  updateTenant,
} from './operations/tenants.ts';
export { type Ends } from './operations/verify/ends.ts';
export { type Finding, type Findings } from './operations/verify/report.ts';
export { verifyChain } from './operations/verify/verify-chain.ts';
export { createRootKeyFile, encodeRootKey, readOrCreateRootKeyFile } from './root-key/file.ts';
export {
  type ProviderEnvironment,
  rootKeyFromCommand,
  rootKeyInFile,
  rootKeyInVariable,
  type RootKeyProvider,
} from './root-key/provider.ts';
export { claim, requireOpeningRoots } from './root-key/root-check.ts';
export { isKeyHost, KeyHosts } from './state/key-hosts.ts';
export { type Caller, insider, isExpired } from './state/caller.ts';
export { mostDisagreement, readClock } from './state/clock.ts';
export { checkedHead, isAuthenticHead, type SealedHead } from './state/heads.ts';
export { openTenant, requireAnchor, seal } from './state/integrity.ts';
export { isAuthenticEntry } from './crypto/macs.ts';
export { findAnchor, findHead, listHeads } from './store/heads.ts';
export { publishers } from './store/issuers.ts';
export { entriesFrom, entryAt, type EntryRow } from './store/audit-entries.ts';
export { clockDifference, databaseTime, openPool, type Sql, type Transaction } from './store/sql.ts';
export { Database } from './store/database.ts';
export { isDatabaseFault, isDenied, isDriverFault, isSettingRefused } from './store/faults.ts';
export { expiringApiKeys } from './store/measurements.ts';
export { ownsTables, readVersion, versionFault } from './store/migrate.ts';
export { first, idsOf } from './store/rows.ts';
export { countHoldings, findTenant, listChains } from './store/tenants.ts';
