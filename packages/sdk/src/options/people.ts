// Whose data a value is (the subject), and on whose behalf the app acts (the user).
import { InputError } from '@eaas/protocol';
import { hasControlCharacter, isSubjectWrapped, utf8Length } from '@eaas/protocol/internal';
import type { Rule } from '@eaas/protocol/internal-options';

/** The client of a call: its key, and the user on whose behalf it acts. */
export interface Caller {
  readonly keyId: string | undefined;
  readonly user: string | undefined;
  readonly requireUser: boolean;
}

/** Accepts what the service accepts as the name of a subject or a user. */
export const person: Rule = (value) =>
  (typeof value === 'string' &&
    value !== '' &&
    // A text has at least as many bytes of UTF-8 as units, so that the length of a huge one is not computed.
    value.length <= 256 &&
    utf8Length(value) <= 256 &&
    value.isWellFormed() &&
    !hasControlCharacter(value)) ||
  'a text of 1 to 256 bytes of UTF-8 without control characters';

/** Throws InputError for a call without a user, if the client requires one. */
export function requireActor({ user, requireUser }: Caller): void {
  if (requireUser && user === undefined)
    throw new InputError('this client has `requireUser`: call `client.as(userId)`, and use what it returns');
}

/**
 * Throws InputError for the data key of a person without a subject, and for a data key of nobody with a subject. Other
 * wrapped keys are left to the service, which refuses and logs what was altered. `rewrap` accepts the data key of an
 * intake writer with a subject, and makes it one of this person.
 */
export function requireSubjectMatch(
  wrapped: Uint8Array,
  subject: string | undefined,
  isRewrap = false,
): void {
  if (subject === undefined) {
    if (isSubjectWrapped(wrapped))
      throw new InputError('this ciphertext belongs to a person: pass `subject`');
  } else if (wrapped[1] === 1 && (wrapped[0] === 1 || (wrapped[0] === 2 && !isRewrap)))
    throw new InputError('this ciphertext belongs to nobody: leave out `subject`');
}
