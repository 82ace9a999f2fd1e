// The words for what a verification of an audit log finds: one word for one thing, whoever finds it. The contract lists those of
// the service from here; finding-words.test.ts compares the list with the code and with the other pages.

type Finder = 'service' | 'audit';

/** Who says a word: the service, or `@eaas/audit`. */
const words: Readonly<Record<string, string>> = {
  'service audit':
    'checkpoint_ahead checkpoint_mismatch contradiction entry_changed entry_missing entry_unexpected proof_mismatch time_went_back',
  service:
    'blocks_differ checkpoint_purged entry_in_future entry_mac_invalid head_changed head_mismatch head_missing ' +
    'purge_anchor_changed rows_differ tenant_changed tenant_missing tenant_put_back key_changed key_put_back ' +
    'key_version_changed api_key_changed api_key_put_back issuer_changed issuer_put_back subject_changed subject_put_back',
  audit:
    'checkpoint_invalid fork proof_invalid proof_missing proof_unwitnessed purged_unread rollback service_verification_failed ' +
    'verifier_key_changed',
};

export function findingWords(finder: Finder): string[] {
  const said = Object.entries(words).filter(([finders]) => finders.split(' ').includes(finder));
  return said.flatMap(([, of]) => of.split(' ')).toSorted();
}
