export {
  type Abortable,
  type AuditSource,
  checkAudit,
  type CheckOptions,
  type CheckReport,
} from './check.ts';
export { openCheckpoint, type StatedHead, type VerifySignature } from './checkpoint.ts';
export type { AuditEntry, AuditHead, HiddenEntry } from './entry.ts';
export type { EntryProof } from './entry-proof.ts';
export type { AuditFinding, AuditFindingCode } from './findings.ts';
export { proveEntry, type ProofSource, type ProveOptions } from './prove.ts';
export type { AuditState, WitnessedHead } from './state.ts';
export { type AuditReport, type Progress, verifyLog, type VerifyLogOptions } from './verify-log.ts';
export { type VerifiedEntry, verifyProof, type VerifyProofOptions } from './verify-proof.ts';
export type { Entries, Purged } from './walk.ts';
export { LogProofError, type LogProofErrorCode, type VerifiedProof } from '@eaas/protocol/internal-log';
