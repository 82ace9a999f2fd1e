import type { Sentence } from './covers.ts';

/** What cannot be seen from outside a server that is well, and the folder that tests it. */
export const elsewhere: Partial<Record<Sentence, string>> = {
  'interface: Unwrap refuses to return the key (500) if its audit entry could not be written.': 'test/faults',
  'interface: 500 Internal Server Error: internal error, including unwrap when its audit entry could not be written':
    'test/faults',
  'interface: Unwrap returns the key only if its entry has been written.': 'test/faults',
  'interface: Entries are immutable and chained by HMAC.': 'test/tampering',
  'interface: Entries are deleted for good after the retention period.': 'test/jobs',
  'interface: audit retention: 60 months, set by EAAS_AUDIT_RETENTION_MONTHS, applied by periodic purge':
    'test/jobs',
  'contract: 503 `unavailable` with `Retry-After`, quickly, when the server cannot authenticate (database gone), drains or its queue is full.':
    'test/faults',
  'contract: Once an audited operation has begun, an entry that cannot be written is 500 `audit_unwritten`, with nothing released, within 5 s.':
    'test/faults',
  'contract: Nothing ever hangs.': 'test/faults',
  'contract: On every replica.': 'test/faults',
  'contract: Stored as SHA-256 of the whole.': 'test/tampering',
  'contract: Restore is 409 once `destroy_at` has passed.': 'test/jobs',
  "contract: A job erases every version's material and the hash key for good, written by `system` (`metadata.erased`).":
    'test/jobs',
  'contract: A job rotates when due, actor `system`.': 'test/jobs',
  'contract: The quota counts in UTC months.': 'test/jobs',
  'contract: A broken chain is 200 with `valid: false`; tampered data never makes it throw.':
    'test/tampering',
  'contract: Verify detects each kind of tampering.': 'test/tampering',
  'contract: A changed API key row answers 401, a changed tenant row 503.': 'test/tampering',
  'contract: A rolled-back database does not extend a checkpoint.': 'test/tampering',
  'contract: Entries older than the retention go for good, from the oldest on; the chain stays verifiable from the recorded anchor.':
    'test/jobs',
};
