// The table of subjects. A subject is the person whose data a value is; its secret takes part in each wrap for it.
import { fromHex, uuidFromBytes } from '@eaas/protocol/internal';
import { type RowOf, tableOf } from '../../ledger/table.ts';
import type { KeptSubject } from '../../operations/contents.ts';
import type { Field } from '../../plugin.ts';

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

/** The row of a subject of a key file. An entry of its creation stands for its erasure too, because files have no log. */
export function rowOfSubject(
  tenant_id: string,
  { subject_id, ...kept }: KeptSubject<Uint8Array | null>,
  created_id: number,
  erased_hash: Uint8Array | null = null,
): SubjectRow {
  const erased_id = kept.erased_at === null ? null : created_id;
  return { ...kept, tenant_id, subject_id: fromHex(subject_id), created_id, erased_id, erased_hash };
}

/** Whether data keys under a key must name a subject. */
export const naming: Field<'optional' | 'required'> = {
  column: 'subjects',
  initial: 'optional',
  isShown: false,
};

export const subjects = tableOf<SubjectRow>('subjects', ['subject_id'], subject, {
  record: {
    label: ['eaas row v1', 'subjects'],
    nameOf: ({ subject_id }) => uuidFromBytes(subject_id.subarray(0, 16)),
    revOf: ({ erased_id }) => erased_id,
    // A row from before an erasure that was put back opens nothing.
    isSound: ({ sealed, erased_id }) => (sealed === null) === (erased_id !== null),
  },
});
