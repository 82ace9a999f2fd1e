// The contract between clients and services: endpoints with their schemas, permissions, problems and limits.
//
// A call that sets a new column of keys changes ten files: keys.ts and audit-actions.ts here; of service and server
// ledger/tables.ts, rules/key-rules.ts and a step in postgres/steps; of the SDK client/administration.ts, and what `npm run generate`
// writes; of cli calls.ts; two files of the console. If the column takes something away, as `min_version` does, also change
// protocol's log-history.ts and cli's lost-changes.ts.
export { limits } from './limits.ts';
export { formatApiKey, isApiKey } from './api-key.ts';
export { type AuditAction, auditActions } from './audit-actions.ts';
export type { Endpoint } from './endpoint.ts';
export { endpoints, type Input, type Item, type Output, type Route } from './endpoints.ts';
export * from './permissions.ts';
export type { Receipt } from './primitives.ts';
export { type Problem, problem, type ProblemCode, problems } from './problems.ts';
export { formatTimestamp, parseTimestamp } from './timestamp.ts';
