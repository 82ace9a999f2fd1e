// What people add to calls of the core: usage counts the subjects, and the export of a key can have their secrets too. The
// plugin adds to the parts of these calls.
import { canonicalJson } from '@eaas/protocol/audit';
import { fromHex, toHex, subjectPlace } from '@eaas/protocol/internal';
import { type Input, limits } from '@eaas/protocol/wire';
import type { Verdict, View } from '../../ledger/decision.ts';
import { allOf, type Query } from '../../ledger/table.ts';
import type { Caller, Part } from '../../operation.ts';
import { encrypter, secretAt } from '../../operations/export.ts';
import { requireUnlimited } from '../../rules/authorize.ts';
import { badRequest, Refusal } from '../../rules/refusal.ts';
import type { Service } from '../../service.ts';
import { type SubjectRow, subjects } from './subjects.ts';

const alive: Query<SubjectRow> = { table: subjects, where: [['erased_id', 'null']], limit: 0, counts: true };

/** Usage says how many subjects there are, erased ones not counted. */
export const countingSubjects = (part: Part<object>): Part<object> => ({
  ...part,
  needs: (view, holder) => [...(part.needs?.(view, holder) ?? []), allOf(alive)],
  judge: (view, holder) => adding(part.judge(view, holder), { subjects: view.all(alive).total }),
});

/** An export has a page of the subjects too, if the call asks for them. They belong to no single key. */
export function exportingSubjects(
  service: Service,
  { tenantId }: Caller,
  { public_key, subjects: isAsked, from_subject }: Input<'POST /v1/keys/:key_id/export'>,
  part: Part<object>,
): Part<object> {
  if (!isAsked && from_subject === undefined) return part;
  const encrypted = encrypter(service, tenantId, public_key);
  const from = from_subject === undefined ? [] : [['subject_id', '>=', fromHex(from_subject)] as const];
  const most = limits.exportedSubjects;
  const query: Query<SubjectRow> = { table: subjects, where: from, by: 'subject_id', limit: most + 1 };
  const pageOf = (view: View) =>
    view
      .all(query)
      .rows.slice(0, most)
      .flatMap(({ subject_id: bytes, sealed }) => {
        const subject_id = toHex(bytes);
        return sealed ? [{ subject_id, ...secretAt(view, subjectPlace(tenantId, subject_id), sealed) }] : [];
      });
  const keyOf = ({ secrets }: View) => ({ name: 'subjects', secret: secrets.derive('subjects') });
  return {
    ...part,
    needs: (view, holder) => [...(part.needs?.(view, holder) ?? []), allOf(query)],
    async prepare(view, holder) {
      await part.prepare?.(view, holder);
      if (holder?.key_ids || !isAsked) return;
      await encrypted.prepare([keyOf(view), ...pageOf(view)]);
    },
    judge(view, holder) {
      if (!isAsked) throw badRequest('`from_subject` needs `subjects: true`');
      requireUnlimited(holder);
      const verdict = part.judge(view, holder);
      const page = pageOf(view).map((one) => ({ subject_id: one.subject_id, encrypted: encrypted.of(one) }));
      const next = view.all(query).rows[most];
      const next_subject = next ? toHex(next.subject_id) : null;
      const more = { subjects: page, next_subject, subjects_key: encrypted.of(keyOf(view)) };
      return adding(verdict, more, { subjects: page.length });
    },
  };
}

/** Adds members to an answer, and to what its entries say. */
function adding(verdict: Verdict<object>, members: object, logged: object = {}): Verdict<object> {
  const { answer } = verdict;
  if (answer instanceof Refusal || typeof answer === 'function') return verdict;
  const entries = verdict.entries.map((draft) => {
    const metadata = canonicalJson({ ...(JSON.parse(draft.metadata) as object), ...logged });
    return { ...draft, metadata };
  });
  return { ...verdict, entries, answer: { ...answer, ...members } };
}
