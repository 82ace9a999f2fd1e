// Who and what calls name: the key, whose data a value is (the subject), and on whose behalf the app acts (the user).
import { viewBase64 } from '@eaas/protocol/internal-base64';
import {
  InputError,
  isBytes,
  isSubjectWrapped,
  kindOf,
  type OptionRules,
  parseUuid,
  requireOptions,
  type Rule,
  utf8Length,
} from '@eaas/protocol/internal';

/** The client of a call: its key, and the user on whose behalf it acts. */
export interface Caller {
  readonly keyId: string | undefined;
  readonly user?: string | undefined;
  readonly requireUser: boolean | undefined;
  /** Whether the app's sign-in names the subject of calls that name none. */
  readonly signsIn: boolean;
  /** The error that failed a whole request of the call. */
  failure?: unknown;
}

/** Accepts what the service accepts as the name of a subject or a user. */
export const person: Rule = (value) =>
  // Neither control characters nor lone surrogates.
  (typeof value === 'string' && /^[^\p{Cc}\p{Cs}]+$/u.test(value) && utf8Length(value) <= 256) ||
  '1 to 256 bytes of UTF-8 without control characters';

/** The same rule for an option that must not be undefined if it is there, such as a subject: that would mean nobody. */
export const required = (rule: Rule): Rule =>
  Object.assign((value: unknown) => rule(value, ''), { refusesUndefined: true });
export const somebody: Rule = /* @__PURE__ */ required(person);

/** Throws InputError for a call without a user, if the client requires one. */
export function requireUser({ user, requireUser }: Caller): void {
  if (requireUser && user === undefined) {
    throw new InputError('`requireUser` is set: call `as(userId)` of the client or database');
  }
}

/** Checks what every call checks that works with data keys. */
export function requireCall<T>(rules: OptionRules<T>, options: T, call: string, caller: Caller): void {
  requireOptions(rules, options, call);
  requireUser(caller);
}

/**
 * Throws InputError for the data key of a person without a subject, and for a data key of nobody with a subject. Other
 * wrapped keys are left to the service, which refuses and logs what was altered.
 */
export function requireSubjectMatch(wrapped: Uint8Array, subject?: string, signsIn?: boolean): void {
  const [format = 0, suite] = wrapped;
  if (subject === undefined) {
    if (!signsIn && isSubjectWrapped(wrapped)) {
      throw new InputError('this ciphertext belongs to a person: pass `subject`');
    }
  } else if (suite === 1 && format <= 2) {
    throw new InputError('this ciphertext belongs to nobody: leave out `subject`');
  }
}

export const keyId: Rule = (value, name) => {
  const isText = typeof value === 'string';
  if (isText && parseUuid(value)) return true;
  // The error does not show a text, because a caller can pass a value or a secret by mistake.
  const got = isText ? `text of ${value.length} characters` : kindOf(value);
  throw new InputError(
    `\`${name}\` must be a UUID (got ${got}): pass the \`key_id\` that \`keys.create\` returned`,
  );
};

/** One key id or an array of key ids. Each is valid or throws. */
export const keyIds: Rule = (value, name) => [value].flat().every((id) => keyId(id, name)) as true;

export function requireKeyId(given: string | undefined, name = 'keyId'): string {
  if (given === undefined) {
    throw new InputError('`keyId` is missing: pass it to the client or set EAAS_KEY_ID');
  }
  keyId(given, name);
  return given;
}

let last = { front: '', isOfPerson: false };

/** Whether a ciphertext belongs to a person. One from before does not, and is read without a subject. */
export function isOfPerson(ciphertext: string | Uint8Array): boolean {
  // The wrapped key begins at byte 26 of an envelope. The eight characters are bytes 24 to 29.
  if (isBytes(ciphertext)) return isSubjectWrapped(ciphertext.subarray(26, 28));
  const front = ciphertext.slice(32, 40);
  // Nearly all ciphertexts have the same.
  if (front !== last.front) {
    const bytes = viewBase64(front);
    last = { front, isOfPerson: bytes !== undefined && isSubjectWrapped(bytes.subarray(2, 4)) };
  }
  return last.isOfPerson;
}
