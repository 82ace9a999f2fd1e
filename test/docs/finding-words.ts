// The words for what a verification of an audit log finds: one word for one thing, whoever finds it. The contract lists those of
// the service from here; finding-words.test.ts compares the list with the code and with the other pages.

const ofBoth =
  'checkpoint_ahead checkpoint_mismatch contradiction entry_changed entry_missing entry_unexpected proof_mismatch time_went_back ';
const words = {
  service:
    `${ofBoth}blocks_differ checkpoint_purged entry_in_future entry_mac_invalid head_changed head_mismatch head_missing ` +
    'purge_anchor_changed rows_differ tenant_changed tenant_missing tenant_put_back key_changed key_put_back ' +
    'key_version_changed api_key_changed api_key_put_back issuer_changed issuer_put_back subject_changed subject_put_back',
  audit:
    `${ofBoth}checkpoint_invalid fork proof_invalid proof_missing proof_unwitnessed purged_unread rollback ` +
    'service_verification_failed verifier_key_changed',
};

/** The words that the service says, or `@eaas/audit`. */
export const findingWords = (finder: keyof typeof words): string[] => words[finder].split(' ').toSorted();
