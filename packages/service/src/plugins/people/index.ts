// People: each subject has a secret without which nothing under it opens, and one call erases it. The log says which user
// opened whose data. Whoever makes a service passes this plugin.
//
//   wrap { dek, subject: "42" }
//         │  subject id = HMAC(key of the tenant, "42")     the service keeps only the id
//         ▼
//   key version ──┐
//                 ├─ HMAC ─► wraps the DEK      head 01 02, 78 bytes, as without a subject
//   secret of 42 ─┘                              │
//         │ new? made here, shared by all        ▼
//         │ requests that wait for its row    one append of entries and rows: { subjects: […] }   ◄── the commit
//         ▼
//   eaas.subjects: sealed secret ──── erase ────► no secret, for ever; the row stays
//
// - The row commits with the entry of the first wrap (`subject_created: true`), so neither can exist without the other.
// - An erasure is a change of the row, and moves the head. An append must name the head: a replica that decided an unwrap before
//   the erasure can no longer log it, and returns no data key.
// - A restore brings erased people back, so `eaas audit replay` erases them again, even those whom the backup does not contain:
//   otherwise, a delayed job could write new data for them.
// - A wrong subject looks like a flipped byte of the wrapped key. For both, the service responds 403 and writes an entry, so the
//   caller cannot learn whether this subject exists. Only an erased subject gives 409.
// - The log shows half of an id: the first 32 of its 64 characters are enough to find the person. An erasure's entry shows all.
// - Fingerprints have no subject: a search must find equal values of all people.
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
