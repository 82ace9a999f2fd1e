/** The kind of problem that a round of `checkAudit` found. */
export type AuditFindingCode =
  /**
   * The service returned a verifier key that is not the pinned verifier key. Also reported if the option `verifierKey`
   * is not the pinned verifier key.
   */
  | 'verifier_key_changed'
  /**
   * The pinned verifier key did not sign the checkpoint, or the checkpoint states another id, hash or tenant than the
   * response that contains the checkpoint.
   */
  | 'checkpoint_invalid'
  /** The log was restored to an older state: entries that were read earlier are missing at its end. */
  | 'rollback'
  /** An entry that was read earlier is different now, because the log was rewritten. */
  | 'fork'
  /** The entries form a valid chain, but the chain does not end in the entry that the checkpoint signs. */
  | 'checkpoint_mismatch'
  /** The hash of an entry does not match its content. */
  | 'entry_altered'
  /** Entries of the log are missing. */
  | 'entry_missing'
  /** An entry occurs twice or out of order. */
  | 'entry_repeated'
  /** The time of an entry is before the time of the previous entry. */
  | 'time_went_back'
  /** Entries were purged before they were read. The remaining entries were verified. */
  | 'purged_unread'
  /** The service reports that its own verification of the log failed. */
  | 'service_verification_failed'
  /** The public log had a head that the audit log does not have: the audit log was rolled back, or rewritten. */
  | 'proof_mismatch'
  /** The newest proof is not valid under the policy, or is of another tenant. */
  | 'proof_invalid'
  /** The newest proof is older than ten minutes and still has too few witnesses. The entries were verified. */
  | 'proof_unwitnessed'
  /** The service has no proof any more, although the log has grown since the last one. The entries were verified. */
  | 'proof_missing';

/** Describes a problem that a round of `checkAudit` found in an audit log. */
export interface AuditFinding {
  readonly code: AuditFindingCode;
  /** The id of the first entry that has the problem. Null if the problem is not about an entry. */
  readonly id: number | null;
  /** A description for people. It quotes only ids, hashes and verifier keys. */
  readonly message: string;
}

export const mostFindings = 100;

export function addFinding(
  findings: AuditFinding[],
  code: AuditFindingCode,
  id: number | null,
  message: string,
): void {
  if (findings.length < mostFindings) findings.push({ code, id, message });
}
