import { flag, type OptionRules, requireOptions, signal, text } from '@eaas/protocol/internal-options';
import type { Output } from '@eaas/protocol/wire';
import type { Erasures } from '../data-keys/erasures.ts';
import { somebody } from './caller.ts';
import { type Call, type CallOptions, callOptions } from '../transport/transport.ts';

/** A person, by the `subject` that you pass to `encrypt`, or by the id that the service keeps of it. */
type SubjectName =
  | { readonly subject: string; readonly subjectId?: undefined }
  | { readonly subjectId: string; readonly subject?: never };

/** Options of `subjects.erase`. */
interface EraseOptions extends CallOptions {
  /**
   * If true, a subject that was never used is remembered as erased, so that a delayed job cannot bring it back. By
   * default, the call throws ServiceError `not_found` for such a subject.
   */
  readonly create?: boolean | undefined;
}

/** The methods of `client.subjects`: `show` and `erase`. */
export interface SubjectCalls {
  /** Returns the id of a subject, when it was first used, and when it was erased. Needs the permission `audit.read`. */
  show(name: SubjectName, options?: CallOptions): Promise<Output<'POST /v1/subjects/show'>>;
  /**
   * Erases the secret of a subject, **for ever**: nothing that was encrypted under the subject opens again, in any table,
   * replica or backup of your app. This client also overwrites its data keys of this person, and asks no more about them;
   * the data keys of other clients end with their lifetime. A repeated call returns the same. Needs the permission `subjects.erase`.
   */
  erase(name: SubjectName, options?: EraseOptions): Promise<Output<'POST /v1/subjects/erase'>>;
}

const names: OptionRules<{ subject?: string; subjectId?: string }> = { subject: somebody, subjectId: text };
const eraseOptions: OptionRules<EraseOptions> = { signal, create: flag };

/** Returns a subject as the API names it. The service refuses a call with both names or none. */
function wireName(name: SubjectName, of: string) {
  requireOptions<object>(names, name, of);
  return { subject: name.subject, subject_id: name.subjectId };
}

/** `drop` removes the data keys of a subject from the memory of the client, or those of all subjects. */
export function subjectCalls(call: Call, erasures: Erasures, drop: (subject?: string) => void): SubjectCalls {
  return {
    async show(name, options = {}) {
      const body = wireName(name, 'subjects.show');
      requireOptions(callOptions, options, 'subjects.show');
      return call('POST /v1/subjects/show', body, options);
    },
    async erase(name, options = {}) {
      const body = wireName(name, 'subjects.erase');
      requireOptions(eraseOptions, options, 'subjects.erase');
      const { create, signal } = options;
      try {
        const erased = await call('POST /v1/subjects/erase', { ...body, create }, { signal });
        if (name.subject !== undefined) erasures.add(name.subject);
        return erased;
      } finally {
        // Also after an error, because the service might have erased the subject before a connection broke.
        drop(name.subject);
      }
    },
  };
}
