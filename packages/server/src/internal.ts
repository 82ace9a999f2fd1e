// What the packages around the server may import.
/// <reference types="node" preserve="true" />
export {
  checked,
  type EntryRow,
  foreignCheckpoint,
  insider,
  isAuthenticEntry,
  openSecret,
  preparing,
  Refusal,
  rootKey,
  type Roots,
  sameBytes,
  sealSecret,
  SharedRead,
  shownEntry,
  shownTrustIn,
  Tampered,
  verifyEd25519,
} from '@eaas/service';
export { migrateDatabase } from './app/migrate-database.ts';
export * from './app/open-service.ts';
export type { Plugin, ServeOptions } from './app/options.ts';
export type { Service } from './app/service.ts';
export { hostOf, isLoopback } from './base/addresses.ts';
export { askHost, HostFailed, inTime } from './base/ask-host.ts';
export { CannotStart, reasonOf } from './base/cannot-start.ts';
export { ifExists, replaceFile, syncDirectory, writeNewFile } from './base/durable-files.ts';
export { Explained } from './base/explained.ts';
export { logLevels } from './base/log-lines.ts';
export { asTyped, asWord } from './base/shell-word.ts';
export { timeLimit } from './base/time-limit.ts';
export type { ConsoleSession } from './http/console.ts';
export { addressOf, freePort, readTls, refuseAddress } from './http/listen.ts';
export { addMetrics } from './http/metrics.ts';
export { clockFault, readClock } from './jobs/clock.ts';
export { type Lease, leasedJobs } from './jobs/schedule.ts';
export { isAuthenticHead, listHeads, readLog, type SealedHead } from './operator/log.ts';
export { operations } from './operator/operations.ts';
export { expiringApiKeys } from './operator/reports.ts';
export { checkRootKey, rotateRootKey } from './operator/root-keys.ts';
export * from './operator/tenants.ts';
export { verifyLog } from './operator/verify.ts';
export { isKeyHost } from './plugins/key-hosts.ts';
export { createRootKeyFile, encodeRootKey, readOrCreateRootKeyFile } from './root-key/file.ts';
export * from './root-key/provider.ts';
export { claim, requireOpeningRoots } from './root-key/root-check.ts';
export { Database } from './postgres/database.ts';
export { isDatabaseFault, isDriverFault, unusable } from './postgres/faults.ts';
export { hasCitus } from './postgres/citus.ts';
export { newerSchema, requireUnchanged } from './postgres/migrate.ts';
export { allowedSentence } from './app/open-service.ts';
export { openHeadFile } from './state/head-file.ts';
export { ownsTables, requireVersion } from './postgres/checks.ts';
export { clockDifference, databaseTime, openPool, type Sql, type Transaction } from './postgres/sql.ts';
