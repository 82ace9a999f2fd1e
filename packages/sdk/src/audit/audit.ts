export { type AuditReport, type AuditSource, checkAudit, type CheckOptions } from './check.ts';
export { type AuditHead, openCheckpoint, type StatedHead, type VerifySignature } from './checkpoint.ts';
export type { AuditFinding, AuditFindingCode } from './findings.ts';
export type { AuditFilter } from './filter.ts';
export type { AuditEntry, AuditPage, AuditPageQuery, ListOptions } from './list.ts';
export type { AuditMethods, AuditVerification, VerifyOptions } from './methods.ts';
export { reportColumns, reportCsv, type ReportRow, reportRow } from './report-rows.ts';
export type { AuditState, AuditStore } from './state.ts';
