// The table of subjects, and the ids of people. A subject is the person whose data a value is; its secret takes part in each
// wrap for it. This folder uses it, and the sign-in of users, whose ids are made alike.
import { toUtf8 } from '@eaas/protocol';
import { toHex } from '@eaas/protocol/internal';
import { uuidFromBytes } from '@eaas/protocol/internal-audit';
import { hmac } from '#platform';
import type { View } from '../../ledger/decision.ts';
import { type RowOf, tableOf } from '../../ledger/table.ts';

const subject = {
  tenant_id: 'uuid',
  /** 32 bytes. */
  subject_id: 'bytes',
  /** The secret of the subject. Null once the subject is erased. */
  sealed: 'bytes?',
  created_id: 'number',
  created_at: 'number',
  erased_id: 'number?',
  erased_at: 'number?',
  /** The hash of the entry of the erasure. */
  erased_hash: 'bytes?',
} as const;

/** The row of a subject. Its times are kept because entries are purged. */
export type SubjectRow = RowOf<typeof subject>;

/** What an erasure writes, before there is one. */
export const notErased = { erased_id: null, erased_at: null, erased_hash: null };

export const subjects = tableOf<SubjectRow>('subjects', ['subject_id'], subject, {
  record: {
    label: ['eaas row v1', 'subjects'],
    nameOf: ({ subject_id }) => uuidFromBytes(subject_id.subarray(0, 16)),
    revOf: ({ erased_id }) => erased_id,
    // A row from before an erasure that was put back opens nothing.
    isSound: ({ sealed, erased_id }) => (sealed === null) === (erased_id !== null),
  },
});

/** Returns the id of a person as the API shows it: 64 hexadecimal characters. */
export function personId({ secrets }: Pick<View, 'secrets'>, kind: 'subjects' | 'users', name: string) {
  return toHex(hmac(secrets.derive(kind), toUtf8(name)));
}

/** The part of an id that the log has. Only the entry of an erasure has all of it. */
export const shortId = (id: string): string => id.slice(0, 32);
