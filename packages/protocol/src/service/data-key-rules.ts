import { fromBase64, toBase64, viewBase64 } from '../base64.ts';
import { using } from '../bytes.ts';
import type { Context } from '../context.ts';
import { isIntakeWrapped } from '../intake/suite.ts';
import { isSubjectWrapped } from '../wrapped-key.ts';
import type { Item, Output } from '../wire/endpoints.ts';
import { type Draft, keyDraft, logged, refusalOutcome } from './draft.ts';
import { type KeyFields, refusedByStatus, requireStatus } from './key-rules.ts';
import { Refusal, unauthenticWrappedKey, wrongKeyVersion } from './refusal.ts';
import {
  isForAnother,
  loggedWho,
  notOwn,
  type People,
  requireSubject,
  type Subject,
  subjectErased,
  type Who,
} from './subject-rules.ts';

/** The result of a KeyRule. The service must write the audit entry `draft` before it sends the response `answer`. */
export interface Ruling<Answer> {
  readonly draft: Draft | null;
  readonly answer: Answer | Refusal;
}

/** The cryptography of one key. Each service brings its own. */
export interface KeyCrypto extends People {
  /** Reads the key version of a wrapped key, without authenticating it. */
  versionOf(wrapped: Uint8Array): number | undefined;
  wrap(dek: Uint8Array, context?: Context, subject?: Subject): Uint8Array;
  /** Returns the data key. The caller must wipe it after use. `subject` is one with a secret, or absent. */
  unwrap(wrapped: Uint8Array, context?: Context, subject?: Subject): Uint8Array | undefined;
  hash(value: string): string;
}

/**
 * A function that computes the answer to a call, for example of `wrap`. If the function throws a Refusal, the service
 * writes no audit entry for the call.
 */
export type KeyRule<Input, Answer> = (key: KeyFields, crypto: KeyCrypto, input: Input) => Ruling<Answer>;

type HashRule = KeyRule<Item<'POST /v1/batch/hash'>, Output<'POST /v1/hash'>>;
type Verb = 'wrap' | 'unwrap' | 'rewrap';
type VerbRule<V extends Verb> = KeyRule<
  Item<`POST /v1/batch/${V}`> & Who,
  Output<`POST /v1/keys/:key_id/${V}`>
>;

type Action = Draft['action'];
type NamedKey = Parameters<typeof keyDraft>[1];

export function rulingOf<Answer>(
  action: Action,
  key: NamedKey,
  { context, ...more }: Readonly<Record<string, unknown>> & { readonly context: Context | undefined },
  answer: Answer | Refusal,
  wrappedFor?: Subject,
): Ruling<Answer> {
  const isRefused = answer instanceof Refusal;
  const metadata = { context: logged(context), ...more, ...(isRefused && refusalOutcome(answer)) };
  const creates = !isRefused && wrappedFor?.state === 'new' ? wrappedFor : undefined;
  return { draft: keyDraft(action, key, metadata, creates), answer };
}

/** Decodes a wrapped key. The result can be in memory that other code can read, because a wrapped key is not secret. */
function readWrapped(text: string): Uint8Array {
  return viewBase64(text) ?? fromBase64(text);
}

/**
 * Returns undefined if the data key was wrapped for intake and the key does not allow intake, or if it belongs to a
 * subject other than the named one.
 */
export function unwrapUnder(
  { intake }: Pick<KeyFields, 'intake'>,
  crypto: Pick<KeyCrypto, 'unwrap'>,
  wrapped: Uint8Array,
  context?: Context,
  subject?: Subject,
): Uint8Array | undefined {
  if (isIntakeWrapped(wrapped) ? !intake || subject : isSubjectWrapped(wrapped) !== (subject !== undefined))
    return undefined;
  return subject && subject.state !== 'known' ? undefined : crypto.unwrap(wrapped, context, subject);
}

/**
 * Returns the subject that a call names, and the refusal if it was erased, or if a user's wrapped key has no subject: users
 * open nothing without one. Throws Refusal for a user's call for another. The entry about such calls has neither subject
 * nor context, because users could fill the reports of others.
 */
export function subjectOf(people: People, call: Who, action: Action, key: NamedKey, wrapped?: Uint8Array) {
  const { signIn } = people;
  if (isForAnother(signIn, call)) {
    const version = action === 'key.unwrap' && { key_version: key.key_version };
    const refusal: Refusal = notOwn((items) =>
      keyDraft(action, key, { ...version, ...loggedWho(people, {}), items, ...refusalOutcome(refusal) }),
    );
    throw refusal;
  }
  const subject = call.subject === undefined ? undefined : people.subject(call.subject);
  const isPlain = wrapped !== undefined && !isSubjectWrapped(wrapped);
  const refused = signIn && !signIn.anySubject && isPlain ? notOwn() : undefined;
  return { subject, refused: refused ?? (subject?.state === 'erased' ? subjectErased() : undefined) };
}

export const intakeMark = (wrapped: Uint8Array | undefined): { readonly intake?: true } =>
  wrapped && isIntakeWrapped(wrapped) ? { intake: true } : {};

function refusedByVersion(
  { key_version: newest }: KeyFields,
  named: number | undefined,
  expected?: number,
): Refusal | undefined {
  if (named === undefined) return unauthenticWrappedKey();
  if (expected !== undefined && expected !== named) return wrongKeyVersion(named, expected);
  return named < 1 || named > newest ? wrongKeyVersion(named) : undefined;
}

/** Decides about `wrap`: the key must be active. */
export const wrapRule: VerbRule<'wrap'> = (key, crypto, input) => {
  requireSubject(key, input);
  const { subject, refused } = subjectOf(crypto, input, 'key.wrap', key);
  requireStatus(key, 'active');
  const { key_id, key_version } = key;
  const { dek, context } = input;
  const wrap = () => using(fromBase64(dek), (secret) => toBase64(crypto.wrap(secret, context, subject)));
  const answer = refused ?? { wrapped_key: wrap(), key_id, key_version };
  return rulingOf('key.wrap', key, { context, ...loggedWho(crypto, input) }, answer, subject);
};

/** Decides about `unwrap`. The answer is a refusal, with an audit entry, for an altered wrapped key. */
export const unwrapRule: VerbRule<'unwrap'> = (key, crypto, input) => {
  const { wrapped_key, key_version: expected, context } = input;
  const wrapped = readWrapped(wrapped_key);
  const named = crypto.versionOf(wrapped);
  const used = { key_id: key.key_id, key_version: named ?? key.key_version };
  const { subject, refused } = subjectOf(crypto, input, 'key.unwrap', used, wrapped);
  const refusal =
    refusedByStatus(key, 'active', 'disabled') ?? refused ?? refusedByVersion(key, named, expected);
  const secret = refusal ? undefined : unwrapUnder(key, crypto, wrapped, context, subject);
  const answer = secret ? { dek: using(secret, toBase64), ...used } : (refusal ?? unauthenticWrappedKey());
  const metadata = { key_version: used.key_version, context, ...intakeMark(wrapped) };
  return rulingOf('key.unwrap', used, { ...metadata, ...loggedWho(crypto, input) }, answer);
};

/**
 * Decides about `rewrap`. The data key of an intake writer, who cannot name a subject, becomes one of the subject that the
 * call names.
 */
export const rewrapRule: VerbRule<'rewrap'> = (key, crypto, input) => {
  const { wrapped_key, context } = input;
  const { key_id, key_version } = key;
  const wrapped = readWrapped(wrapped_key);
  const { subject, refused } = subjectOf(crypto, input, 'key.wrap', key, wrapped);
  requireStatus(key, 'active');
  const from_version = crypto.versionOf(wrapped);
  const mark = intakeMark(wrapped);
  const rewrapped = mark.intake ?? from_version !== key_version;
  const refusal = refused ?? refusedByVersion(key, from_version);
  const opensFor = mark.intake ? undefined : subject;
  const secret = refusal ? undefined : unwrapUnder(key, crypto, wrapped, context, opensFor);
  const newest = (dek: Uint8Array) =>
    rewrapped ? toBase64(crypto.wrap(dek, context, subject)) : wrapped_key;
  const answer = secret
    ? { wrapped_key: using(secret, newest), key_id, key_version, rewrapped }
    : (refusal ?? unauthenticWrappedKey());
  const metadata = { from_version, context, ...mark, ...loggedWho(crypto, input) };
  return rulingOf('key.wrap', key, metadata, answer, subject);
};

/** Decides about `hash`: the key must be active. */
export const hashRule: HashRule = (key, crypto, { value }) => {
  requireStatus(key, 'active');
  return { draft: null, answer: { hash: crypto.hash(value), key_id: key.key_id } };
};
