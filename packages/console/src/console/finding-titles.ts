import type { AuditFindingCode } from '@eaas/sdk/audit';

export const findingTitles: Readonly<Record<AuditFindingCode, string>> = {
  verifier_key_changed: 'The service signs with a different key than before.',
  checkpoint_invalid: 'The signature of the checkpoint is not valid.',
  rollback: 'The log was restored to an older state.',
  fork: 'An entry changed after it was verified.',
  checkpoint_mismatch: 'The entries do not match the signed checkpoint.',
  entry_altered: 'An entry was altered.',
  entry_missing: 'Entries are missing.',
  entry_repeated: 'An entry is repeated or out of order.',
  time_went_back: 'The time of an entry is before the time of the previous entry.',
  purged_unread: 'Entries were purged before they were verified.',
  service_verification_failed: 'The verification by the service failed.',
};
