// The calls that show and erase a person. They name the person in the body, also when they only read, and never in a URL.
import * as z from 'zod/mini';
import type { Endpoints, Group } from './endpoint.ts';
import { hex, receipt, subject, subjectId, time } from './primitives.ts';
import { samples } from './samples.ts';

const named = { subject: z.optional(subject), subject_id: z.optional(subjectId) };
const oneName = z.refine<{ readonly subject?: string | undefined; readonly subject_id?: string | undefined }>(
  (named) => (named.subject === undefined) !== (named.subject_id === undefined),
  'must have either `subject` or `subject_id`',
);

export const subjects = {
  'POST /v1/subjects/show': {
    permission: 'audit.read',
    summary: 'Show a subject',
    readOnly: true,
    body: z.strictObject(named).check(oneName),
    output: z.object({ subject_id: hex, created_at: time, erased_at: z.nullable(time) }),
  },
  'POST /v1/subjects/erase': {
    permission: 'subjects.erase',
    summary: 'Erase a subject',
    body: z.strictObject({ ...named, create: z.optional(z.boolean()) }).check(oneName),
    output: z.object({ subject_id: hex, erased_at: time, entry: receipt }),
  },
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutSubjects = (): Group<typeof subjects> => {
  const { entryHash } = samples;
  const subject_id = '0c37b5a8a4d7e85b1b1d0a4b9f4be0d2f7d1f60c0b8ba6c5f41a9d4d1ac7e6e3';
  return {
    title: 'Subjects',
    about: 'The people whose data you encrypt: each has a secret of their own, and one call erases it.',
    fields: {
      create: 'Whether an unknown subject is remembered as erased.',
      entry: 'The audit entry of the erasure.',
      erased_at: 'The time of the erasure. Null if the subject was not erased.',
    },
    calls: {
      'POST /v1/subjects/show': {
        id: 'showSubject',
        about:
          'Returns when a subject was first used, and when it was erased. Send the `subject` that you ' +
          'pass to wrap, or its `subject_id`, of which the audit log shows the first 32 characters.',
        problems: ['not_found'],
        input: { subject: '42' },
        output: { subject_id, created_at: '2026-08-11T09:30:00.000Z', erased_at: null },
      },
      'POST /v1/subjects/erase': {
        id: 'eraseSubject',
        about:
          'Erases the secret of a subject, for ever: nothing that was encrypted under the subject opens ' +
          'again, in any table, replica or backup of your app. Repeated, it returns the same answer. An ' +
          'unknown subject is 404; with `create`, the service remembers it as erased, so that a delayed ' +
          'job cannot bring it back. `entry` is the audit entry that proves the erasure.',
        problems: ['not_found'],
        input: { subject: '42' },
        output: { subject_id, erased_at: '2026-11-20T09:00:01.244Z', entry: { id: 48212, hash: entryHash } },
      },
    },
  };
};
