// People: each subject has a secret without which nothing under it opens, and one call erases it. The log says which user
// opened whose data. Whoever makes a service passes this plugin.
import { subjectForm } from '@eaas/protocol/internal';
import type { Input } from '@eaas/protocol/wire';
import type { View } from '../../ledger/decision.ts';
import { equal } from '../../ledger/table.ts';
import type { Plugin } from '../../plugin.ts';
import { type Holder, personId, shortId, userOf } from '../../rules/authorize.ts';
import { badRequest, Refusal } from '../../rules/refusal.ts';
import { countingSubjects, exportingSubjects } from './around.ts';
import { keyingOf } from './keying.ts';
import { subjectOperations } from './operations.ts';
import { naming, subjects } from './subjects.ts';

export const people = (): Plugin => ({
  name: 'people',
  tables: [subjects],
  fields: [naming],
  suites: [{ form: subjectForm }],
  keying: keyingOf,
  // The log has the first half of each id, and the whole id of a subject in the entry of its erasure.
  filters(view, holder, { subject_id, user_id }: Input<'GET /v1/audit'>) {
    const subject = requireSubjectId(view, holder, subject_id);
    return equal({ subject: subject && shortId(subject), user: user_id && shortId(user_id) });
  },
  endpoints: {
    ...subjectOperations,
    'GET /v1/usage': (_, __, ___, part) => countingSubjects(part),
    'POST /v1/keys/:key_id/export': exportingSubjects,
  },
});

/**
 * Returns the id of the subject whose entries a caller may list, of `me` or an id. Throws Refusal for the id of another than
 * the user, and for `me` of an API key, which is nobody.
 */
function requireSubjectId(view: Pick<View, 'secrets'>, holder: Holder | null, given?: string) {
  const user = userOf(holder);
  if (user) {
    const own = personId(view, 'subjects', user.subject);
    if (given === 'me' || given === own || given === shortId(own)) return own;
    throw new Refusal('permission_missing', 'Users see only their own log: pass `subject_id=me`.');
  }
  if (given !== 'me') return given;
  throw badRequest(
    '`subject_id=me` needs the token of a user (got an API key): pass the id that `POST /v1/subjects/show` returns',
  );
}
