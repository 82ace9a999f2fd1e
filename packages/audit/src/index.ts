// What a verifier imports to check a log without trusting its service: logs as they grow, exported files, and proofs.
export { checkAudit, type CheckOptions, type CheckReport } from './check.ts';
export { openCheckpoint, type StatedHead } from './checkpoint.ts';
export type { AuditEntry, AuditHead, HiddenEntry } from './entry.ts';
export type { EntryProof } from './entry-proof.ts';
export { evidence, type EvidenceOptions } from './evidence.ts';
export type { AuditFinding, AuditFindingCode } from './findings.ts';
export { proveEntry, type ProveOptions } from './prove.ts';
export type { AuditSource, ProofSource } from './source.ts';
export type { AuditState, WitnessedHead } from './state.ts';
export { type FileReport, verifyFile, type VerifyFileOptions } from './verify-file.ts';
export { type AuditReport, type VerifyLogProgress, verifyLog, type VerifyLogOptions } from './verify-log.ts';
export { type VerifiedEntry, verifyProof } from './verify-proof.ts';
export { LogProofError, type LogProofErrorCode, type VerifiedProof } from '@eaas/protocol/internal-log';
