/** The kind of problem that a check found. */
export type AuditFindingCode =
  /** The service signs with another key than the pinned one, the API key is of another tenant, or `verifierKey` is not the saved key. */
  | 'verifier_key_changed'
  /** The pinned verifier key did not sign the checkpoint. */
  | 'checkpoint_invalid'
  /** The log was restored to an older state: entries that were read earlier are missing at its end. */
  | 'rollback'
  /** An entry that was read earlier is different now, because the log was rewritten. */
  | 'fork'
  /** The log ends before the entry that a checkpoint signs: it was restored to an older state, or its end was cut off. */
  | 'checkpoint_ahead'
  /** The entries form a valid chain, but the chain does not have the entry that a checkpoint signs. */
  | 'checkpoint_mismatch'
  /** The hash of an entry does not match its content. */
  | 'entry_changed'
  /** Entries of the log are missing. */
  | 'entry_missing'
  /** An entry occurs twice or out of order. */
  | 'entry_unexpected'
  /** The time of an entry is before the time of the previous entry. */
  | 'time_went_back'
  /** An entry contradicts an earlier one: the service honoured what had been revoked, erased or closed. */
  | 'contradiction'
  /** Entries were purged by age before they were read. The others were verified, and the next round is silent. */
  | 'purged_unread'
  /** The service, asked how far it has purged, says that its own verification fails. */
  | 'service_verification_failed'
  /** The public log had a head that the audit log does not have: the audit log was rolled back or rewritten, or is a copy. */
  | 'proof_mismatch'
  /** The newest proof is not valid under the policy (after `eaas log restart` it needs the new log), or a proof is of another tenant. */
  | 'proof_invalid'
  /** The newest proof is older than ten minutes and still has too few witnesses. The entries were verified. */
  | 'proof_unwitnessed'
  /** The service has no proof any more, although the log has grown since the last one. The entries were verified. */
  | 'proof_missing';

/** Describes a problem that a check found in an audit log. */
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
): undefined {
  if (findings.length < mostFindings) findings.push({ code, id, message });
}

const harmless = new Set<AuditFindingCode>(['purged_unread', 'proof_missing', 'proof_unwitnessed']);

/** Whether the findings say nothing against the entries, so that the next check goes on from here. */
export const areHarmless = (findings: readonly AuditFinding[]): boolean =>
  findings.every(({ code }) => harmless.has(code));
