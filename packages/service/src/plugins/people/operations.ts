// The calls about subjects: show one, and erase one for ever. The endpoint table names them.
import { fromHex, toHex } from '@eaas/protocol/internal';
import { formatTimestamp, type Input } from '@eaas/protocol/wire';
import type { View } from '../../ledger/decision.ts';
import { put, refTo } from '../../ledger/table.ts';
import type { Operations } from '../../operation.ts';
import { personId } from '../../rules/authorize.ts';
import { tenantDraft, timeOrNull } from '../../rules/draft.ts';
import { Refusal } from '../../rules/refusal.ts';
import { type SubjectRow, subjects } from './subjects.ts';

type Named = Input<'POST /v1/subjects/show'>;

const idIn = (view: Pick<View, 'secrets'>, { subject = '', subject_id }: Named): string =>
  subject_id ?? personId(view, 'subjects', subject);

export const subjectOperations = {
  'POST /v1/subjects/show': (_, __, named) => ({
    needs: (view) => [refTo(subjects, idIn(view, named))],
    judge(view) {
      const subject_id = idIn(view, named);
      const row = view.find(subjects, subject_id);
      if (!row) throw subjectNotFound();
      const times = { created_at: formatTimestamp(row.created_at), erased_at: timeOrNull(row.erased_at) };
      return { entries: [], answer: { subject_id, ...times } };
    },
  }),
  // The row stays as a tombstone, so the id cannot come again.
  'POST /v1/subjects/erase': (_, __, { create = false, ...named }) => ({
    changes: true,
    needs: (view) => [refTo(subjects, idIn(view, named))],
    judge(view) {
      const { entryId, createdAt } = view;
      const id = idIn(view, named);
      const before = view.find(subjects, id);
      if (!before && !create) throw subjectNotFound();
      if (before?.erased_id) return { entries: [], answer: erasedRecord(before) };
      const created = { tenant_id: view.tenant.tenant_id, created_id: entryId, created_at: createdAt };
      const erased = { subject_id: fromHex(id), sealed: null, erased_id: entryId, erased_at: createdAt };
      const rowWith = (erased_hash: Uint8Array) => ({ ...created, ...before, ...erased, erased_hash });
      return {
        entries: [tenantDraft('subject.erase', { subject: id })],
        writes: (receipts) => [put(subjects, rowWith(receipts.hashOf(0)))],
        answer: (receipts) => erasedRecord(rowWith(receipts.hashOf(0))),
      };
    },
  }),
} satisfies Partial<Operations>;

function erasedRecord({ subject_id, erased_id, erased_at, erased_hash }: SubjectRow) {
  return {
    subject_id: toHex(subject_id),
    erased_at: formatTimestamp(erased_at ?? 0),
    entry: { id: erased_id ?? 0, hash: toHex(erased_hash ?? new Uint8Array()) },
  };
}

/** 404: nothing was ever wrapped under this subject. */
const subjectNotFound = (): Refusal =>
  new Refusal(
    'not_found',
    'Subject not found: pass it as wrap got it. To erase one that was never used, add `create: true`, but not where the keys are in ' +
      'one variable: these have no people, and nothing to erase.',
  );
