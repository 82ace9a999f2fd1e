// The person whose data a value is: a subject. Its secret takes part in each wrap, and its erasure ends them all.
import type { Input, Output } from '../wire/endpoints.ts';
import { formatTimestamp } from '../wire/timestamp.ts';
import { type Reach, requireUnlimited, type SignIn } from './authorize.ts';
import type { KeyFields } from './key-rules.ts';
import { type Draft, tenantDraft } from './draft.ts';
import { timeOrNull } from './records.ts';
import { badRequest, Refusal } from './refusal.ts';

/** A subject as a service knows it. `new` is one whose first wrap is decided, and `unknown` one that nobody wrapped for. */
export interface Subject {
  /** 64 hexadecimal characters. */
  readonly id: string;
  readonly state: 'known' | 'new' | 'erased' | 'unknown';
}

/** A stored subject. Its times are milliseconds since 1970. */
export interface SubjectFields {
  readonly created_at: number;
  readonly erased_at: number | null;
}

/** What a call says about people: whose data a value is, and on whose behalf the caller acts. */
export interface Who {
  readonly subject?: string | undefined;
  readonly user?: string | undefined;
}

/** Finds people by what a call says. Each service brings its own. */
export interface People {
  /** Returns the subject with this name, in any state. */
  subject(name: string): Subject;
  /** Returns the id of a user, as 64 hexadecimal characters. */
  userId(name: string): string;
  /** Who calls by a token. Absent for an API key. */
  readonly signIn?: SignIn | undefined;
}

/** The length of an id in the metadata of an audit entry. */
export const loggedIdLength = 32;

/**
 * Returns the id of the subject whose entries a caller may list, of `me` or an id. `own` is the id of a user. Throws
 * Refusal for the id of another than the user, and for `me` of an API key, which is nobody.
 */
export function requireSubjectId(own: string | undefined, given: string | undefined): string | undefined {
  if (own !== undefined) {
    if (given === 'me' || given === own || given === own.slice(0, loggedIdLength)) return own;
    throw new Refusal('permission_missing', 'Users see only their own log: pass `subject_id=me`.');
  }
  if (given !== 'me') return given;
  throw badRequest(
    '`subject_id=me` needs the token of a user (got an API key): pass the id that `POST /v1/subjects/show` returns',
  );
}

/** Returns what an audit entry says about people. */
export function loggedWho(people: People, { subject, user }: Who): Readonly<Record<string, unknown>> {
  const { signIn } = people;
  return {
    ...(subject !== undefined && { subject: people.subject(subject).id.slice(0, loggedIdLength) }),
    ...(signIn && { user: people.userId(signIn.subject).slice(0, loggedIdLength) }),
    ...(user !== undefined && { user: people.userId(user).slice(0, loggedIdLength), user_asserted: true }),
  };
}

/** Whether a user may open only the own data, and a call names somebody else, or nobody. */
export const isForAnother = (signIn: SignIn | undefined, { subject }: Who): boolean =>
  signIn !== undefined && !signIn.anySubject && subject !== signIn.subject;

/** 403: a user may open only the own data, under the secret of the own subject. */
export const notOwn = (entry?: (items: number) => Draft): Refusal =>
  new Refusal(
    'permission_missing',
    'Users open only their own data: pass `subject` as the issuer names the user, and only what was encrypted under it.',
    { entry },
  );

/** 400: a token says who acts, so a body cannot. */
export function requireNoUser(signIn: SignIn | undefined, calls: readonly Who[]): void {
  if (signIn && calls.some(({ user }) => user !== undefined))
    throw badRequest('`user` is the user of the token: leave it out');
}

/** 409: the person was erased. */
export const subjectErased = (): Refusal =>
  new Refusal(
    'subject_erased',
    'This subject was erased, and nothing under it opens again. A person who returns needs a new subject.',
  );

/** 404: nothing was ever wrapped under this subject. */
export const subjectNotFound = (): Refusal =>
  new Refusal(
    'not_found',
    'Subject not found: pass the subject as wrap got it. To erase one that was never used, add `create: true`.',
  );

/** Throws Refusal for a call without a subject, if the key requires one. */
export function requireSubject({ subjects }: Pick<KeyFields, 'subjects'>, { subject }: Who): void {
  if (subjects === 'optional' || subject !== undefined) return;
  throw badRequest('`subject` is missing: this key wraps only with a subject, the person whose data it is');
}

/** Whether an export has subjects too. They belong to no single key. Throws Refusal. */
export function exportsSubjects(
  apiKey: Pick<Reach, 'key_ids'> | null,
  {
    subjects = false,
    from_subject,
  }: Pick<Input<'POST /v1/keys/:key_id/export'>, 'subjects' | 'from_subject'>,
): boolean {
  if (subjects) requireUnlimited(apiKey);
  else if (from_subject !== undefined) throw badRequest('`from_subject` needs `subjects: true`');
  return subjects;
}

/** Drafts the entry about an erasure. */
export function erasureDraft(subjectId: string, more: Readonly<Record<string, unknown>> = {}): Draft {
  return tenantDraft('subject.erase', { subject: subjectId, ...more });
}

/** Returns a subject as the API shows it. */
export function subjectRecord(
  subjectId: string,
  { created_at, erased_at }: SubjectFields,
): Output<'POST /v1/subjects/show'> {
  return {
    subject_id: subjectId,
    created_at: formatTimestamp(created_at),
    erased_at: timeOrNull(erased_at),
  };
}
