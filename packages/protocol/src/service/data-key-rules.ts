import { fromBase64, toBase64, viewBase64 } from '../base64.ts';
import { using } from '../bytes.ts';
import type { Context } from '../context.ts';
import { isIntakeWrapped } from '../intake/suite.ts';
import type { Item, Output } from '../wire/endpoints.ts';
import { type Draft, keyDraft, logged, refusalOutcome } from './draft.ts';
import { type KeyFields, refusedByStatus, requireStatus } from './key-rules.ts';
import { Refusal, unauthenticWrappedKey, wrongKeyVersion } from './refusal.ts';

/** The result of a KeyRule. The service must write the audit entry `draft` before it sends the response `answer`. */
export interface Ruling<Answer> {
  readonly draft: Draft | null;
  readonly answer: Answer | Refusal;
}

/** The cryptography of one key. Each service brings its own. */
export interface KeyCrypto {
  /** Reads the key version of a wrapped key, without authenticating it. */
  versionOf(wrapped: Uint8Array): number | undefined;
  wrap(dek: Uint8Array, context?: Context): Uint8Array;
  /** Returns the data key. The caller must wipe it after use. */
  unwrap(wrapped: Uint8Array, context?: Context): Uint8Array | undefined;
  hash(value: string): string;
}

/**
 * A function that computes the answer to a call, for example of `wrap`. If the function throws a Refusal, the service
 * writes no audit entry for the call.
 */
export type KeyRule<Input, Answer> = (key: KeyFields, crypto: KeyCrypto, input: Input) => Ruling<Answer>;

type HashRule = KeyRule<Item<'POST /v1/batch/hash'>, Output<'POST /v1/hash'>>;
type Verb = 'wrap' | 'unwrap' | 'rewrap';
type VerbRule<V extends Verb> = KeyRule<Item<`POST /v1/batch/${V}`>, Output<`POST /v1/keys/:key_id/${V}`>>;

export function rulingOf<Answer>(
  action: Draft['action'],
  key: Parameters<typeof keyDraft>[1],
  { context, ...more }: Readonly<Record<string, unknown>> & { readonly context: Context | undefined },
  answer: Answer | Refusal,
): Ruling<Answer> {
  const outcome = answer instanceof Refusal ? refusalOutcome(answer) : {};
  return { draft: keyDraft(action, key, { context: logged(context), ...more, ...outcome }), answer };
}

/** Decodes a wrapped key. The result can be in memory that other code can read, because a wrapped key is not secret. */
function readWrapped(text: string): Uint8Array {
  return viewBase64(text) ?? fromBase64(text);
}

/** Returns undefined if the data key was wrapped for intake and the key does not allow intake. */
export function unwrapUnder(
  { intake }: Pick<KeyFields, 'intake'>,
  crypto: Pick<KeyCrypto, 'unwrap'>,
  wrapped: Uint8Array,
  context?: Context,
): Uint8Array | undefined {
  return intake || !isIntakeWrapped(wrapped) ? crypto.unwrap(wrapped, context) : undefined;
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
export const wrapRule: VerbRule<'wrap'> = (key, crypto, { dek, context }) => {
  requireStatus(key, 'active');
  const { key_id, key_version } = key;
  const wrapped_key = using(fromBase64(dek), (secret) => toBase64(crypto.wrap(secret, context)));
  return rulingOf('key.wrap', key, { context }, { wrapped_key, key_id, key_version });
};

/** Decides about `unwrap`. The answer is a refusal, with an audit entry, for an altered wrapped key. */
export const unwrapRule: VerbRule<'unwrap'> = (key, crypto, input) => {
  const { wrapped_key, key_version: expected, context } = input;
  const wrapped = readWrapped(wrapped_key);
  const named = crypto.versionOf(wrapped);
  const used = { key_id: key.key_id, key_version: named ?? key.key_version };
  const refusal = refusedByStatus(key, 'active', 'disabled') ?? refusedByVersion(key, named, expected);
  const secret = refusal ? undefined : unwrapUnder(key, crypto, wrapped, context);
  const answer = secret ? { dek: using(secret, toBase64), ...used } : (refusal ?? unauthenticWrappedKey());
  return rulingOf(
    'key.unwrap',
    used,
    { key_version: used.key_version, context, ...intakeMark(wrapped) },
    answer,
  );
};

/** Decides about `rewrap`. */
export const rewrapRule: VerbRule<'rewrap'> = (key, crypto, { wrapped_key, context }) => {
  requireStatus(key, 'active');
  const { key_id, key_version } = key;
  const wrapped = readWrapped(wrapped_key);
  const from_version = crypto.versionOf(wrapped);
  const mark = intakeMark(wrapped);
  const rewrapped = mark.intake ?? from_version !== key_version;
  const refusal = refusedByVersion(key, from_version);
  const secret = refusal ? undefined : unwrapUnder(key, crypto, wrapped, context);
  const newest = (dek: Uint8Array) => (rewrapped ? toBase64(crypto.wrap(dek, context)) : wrapped_key);
  const answer = secret
    ? { wrapped_key: using(secret, newest), key_id, key_version, rewrapped }
    : (refusal ?? unauthenticWrappedKey());
  return rulingOf('key.wrap', key, { from_version, context, ...mark }, answer);
};

/** Decides about `hash`: the key must be active. */
export const hashRule: HashRule = (key, crypto, { value }) => {
  requireStatus(key, 'active');
  return { draft: null, answer: { hash: crypto.hash(value), key_id: key.key_id } };
};
