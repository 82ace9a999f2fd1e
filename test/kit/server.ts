// What tests of other packages use of the inside of @eaas/server.
export { signCheckpoint } from '../../packages/service/src/verify/checkpoint.ts';
export { type Service } from '../../packages/server/src/app/service.ts';
export { readApiPage, readConsolePages } from '../../packages/server/src/http/console.ts';
export { listen } from '../../packages/server/src/http/testing/listen.ts';
export { memoryService } from '../../packages/server/src/http/testing/memory-service.ts';
export { purge } from '../../packages/server/src/jobs/purge.ts';
export { withLease } from '../../packages/server/src/jobs/schedule.ts';
export { openPool } from '../../packages/server/src/postgres/sql.ts';
