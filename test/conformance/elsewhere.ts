import type { Sentence } from './covers.ts';

const [survives, tamperedEntries] = ['test/faults/survives.test.ts', 'test/tampering/entries.test.ts'];
const dueKeys = 'packages/server/src/jobs/due-keys.test.ts';
const purge = 'packages/server/src/jobs/purge.test.ts';

/** What cannot be seen, or not wholly, from outside a server that is well: the files that test it. */
export const elsewhere: Partial<Record<Sentence, readonly string[]>> = {
  'interface: Unwrap refuses to return the key (500) if its audit entry could not be written.': [survives],
  'interface: 500 Internal Server Error: internal error, including unwrap when its audit entry could not be written':
    [survives],
  'interface: Unwrap returns the key only if its entry has been written.': [survives],
  'interface: Entries are immutable and chained by HMAC.': [tamperedEntries, 'test/tampering/guards.test.ts'],
  'interface: Entries are deleted for good after the retention period.': [purge],
  'interface: audit retention: 60 months, set by EAAS_AUDIT_RETENTION_MONTHS, applied by periodic purge': [
    purge,
  ],
  'contract: 503 `unavailable` with `Retry-After`, quickly, when the server cannot authenticate (database gone), drains or its queue is full.':
    [survives, 'test/faults/shutdown.test.ts', 'packages/server/src/waiting-room.test.ts'],
  'contract: Once an audited operation has begun, an entry that cannot be written is 500 `audit_unwritten`, with nothing released, within 5 s.':
    [survives],
  'contract: Nothing ever hangs.': ['test/faults/stuck-replica.test.ts', survives],
  'contract: On every replica.': ['test/faults/races.test.ts', 'test/faults/two-replicas.test.ts'],
  'contract: Unknown tokens are never cached.': ['test/faults/races.test.ts'],
  'contract: Stored as SHA-256 of the whole.': ['packages/server/src/crypto/api-key-token.test.ts'],
  'contract: Restore is 409 once `destroy_at` has passed.': [dueKeys],
  "contract: A job erases every version's material and the hash key for good, written by `system` (`metadata.erased`).":
    [dueKeys],
  'contract: A job rotates when due, actor `system`.': [dueKeys],
  'contract: A broken chain is 200 with `valid: false`; tampered data never makes it throw.': [
    tamperedEntries,
    'test/tampering/columns.test.ts',
  ],
  'contract: Verify detects each kind of tampering.': [
    tamperedEntries,
    'test/tampering/rows.test.ts',
    'test/tampering/columns.test.ts',
  ],
  'contract: A changed API key row answers 401, a changed tenant row 503.': [
    'test/tampering/columns.test.ts',
  ],
  'contract: A rolled-back database does not extend a checkpoint.': [tamperedEntries],
  'contract: Entries older than the retention go for good, from the oldest on; the chain stays verifiable from the recorded anchor.':
    [purge],
};
