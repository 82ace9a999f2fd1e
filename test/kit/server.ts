// What tests of other packages use of the inside of @eaas/server.
export { type Service } from '../../packages/server/src/app/service.ts';
export { signCheckpoint } from '../../packages/server/src/crypto/checkpoint.ts';
export { readApiPage, readConsolePages } from '../../packages/server/src/http/console.ts';
export { serviceMetrics } from '../../packages/server/src/http/metrics.ts';
export { listen } from '../../packages/server/src/http/testing/listen.ts';
export { memoryDoors } from '../../packages/server/src/http/testing/memory-doors.ts';
export { countUsage } from '../../packages/server/src/jobs/housekeeping.ts';
export { withLease } from '../../packages/server/src/jobs/schedule.ts';
export { purge } from '../../packages/server/src/jobs/purge.ts';
export { openPool } from '../../packages/server/src/store/sql.ts';
