/** What an audit can find wrong. */
export type AuditFindingCode =
  /** The service signs with another key than the one that was pinned. */
  | 'verifier_key_changed'
  /** The checkpoint is not signed by the pinned key, or the answer says something else than it. */
  | 'checkpoint_invalid'
  /** The log ends before what was read of it already: it was put back to an older state. */
  | 'rollback'
  /** An entry that was read already is another one now: the log was written anew. */
  | 'fork'
  /** The entries are a chain, but not the one that the checkpoint was signed for. */
  | 'checkpoint_mismatch'
  /** An entry is not what was hashed. */
  | 'entry_altered'
  /** Entries are not shown. */
  | 'entry_missing'
  /** An entry is shown twice, or out of its order. */
  | 'entry_repeated'
  /** An entry claims to be older than the one before. */
  | 'time_went_back'
  /** Entries were purged before they were read here. What follows them is verified, they are not. */
  | 'purged_unread'
  /** The service's own verification says that something is wrong. */
  | 'service_verification_failed';

/** One thing that does not hold. */
export interface AuditFinding {
  readonly code: AuditFindingCode;
  /** The entry that it is about, or the first of them. */
  readonly id: number | null;
  /** For people; it quotes ids and hashes, nothing else of an entry. */
  readonly message: string;
}

/** So many are collected in one round; then it ends. */
export const mostFindings = 100;
