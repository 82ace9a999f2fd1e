import type { AuditFindingCode } from '@eaas/sdk/audit';

/** The meaning of each finding of a verification. */
export const findingTitles: Readonly<Record<AuditFindingCode, string>> = {
  verifier_key_changed: 'The service signs with another key than before.',
  checkpoint_invalid: 'The signature of the checkpoint is not valid.',
  rollback: 'The log was put back to an older state.',
  fork: 'An entry that was verified is another one now.',
  checkpoint_mismatch: 'The entries are not those that the checkpoint was signed for.',
  entry_altered: 'An entry was altered.',
  entry_missing: 'Entries are missing.',
  entry_repeated: 'An entry is shown twice, or out of order.',
  time_went_back: 'An entry is older than the one before.',
  purged_unread: 'Entries were purged before they were verified.',
  service_verification_failed: 'The service itself finds its log altered.',
};
