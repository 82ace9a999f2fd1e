// What tests of other packages use of the inside of @eaas/server.
export { type Service } from '../../packages/server/src/app/service.ts';
export { insider } from '../../packages/server/src/state/caller.ts';
export { signCheckpoint } from '../../packages/server/src/crypto/checkpoint.ts';
export { readApiPage, readConsolePages } from '../../packages/server/src/http/console.ts';
export { serviceMetrics } from '../../packages/server/src/http/metrics.ts';
export { listen } from '../../packages/server/src/http/testing/listen.ts';
export { memoryDoors } from '../../packages/server/src/http/testing/memory-doors.ts';
export { countUsage, recordLastUses } from '../../packages/server/src/jobs/housekeeping.ts';
export { withLease } from '../../packages/server/src/jobs/schedule.ts';
export { purge } from '../../packages/server/src/jobs/purge.ts';
export { settleKey } from '../../packages/server/src/operations/keys.ts';
export { updateTenant } from '../../packages/server/src/operations/tenants.ts';
export { listKeys } from '../../packages/server/src/store/keys.ts';
export { openPool } from '../../packages/server/src/store/sql.ts';
