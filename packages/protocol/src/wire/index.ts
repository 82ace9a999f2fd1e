// The contract between clients and services: endpoints with their schemas, permissions, problems and limits.
export { limits } from './limits.ts';
export { formatApiKey, isApiKey } from './api-key.ts';
export { type AuditAction, auditActions } from './audit-actions.ts';
export type { Endpoint } from './endpoint.ts';
export { endpoints, type Input, type Item, type Output, type Route } from './endpoints.ts';
export * from './permissions.ts';
export type { Receipt } from './primitives.ts';
export { type Problem, problem, type ProblemCode, problems } from './problems.ts';
export { formatTimestamp, parseTimestamp } from './timestamp.ts';
