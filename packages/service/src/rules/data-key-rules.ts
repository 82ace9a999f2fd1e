// Decides about wrap, unwrap, rewrap and hash: the response to one call whose key was found, and its audit entry.
// operations/data-keys.ts asks it, for single calls and for the items of batches alike.
import { fromBase64, toBase64, viewBase64 } from '@eaas/protocol/internal-base64';
import { using } from '@eaas/protocol/internal';
import type { Item, Output } from '@eaas/protocol/wire';
import type { Verdict, View } from '../ledger/decision.ts';
import type { Write } from '../ledger/table.ts';
import type { KeyRow } from '../ledger/tables.ts';
import type { Creation, KeyAct, KeyCall, Keying, KeyVerb, Participation } from '../plugin.ts';
import { type Holder, whoActs } from './authorize.ts';
import { type Draft, keyDraft, logged, plainDraft, refusalOutcome } from './draft.ts';
import type { KeyCrypto } from './key-crypto.ts';
import { refusedToOpen, requireStatus } from './key-rules.ts';
import { Refusal, unauthenticWrappedKey, wrongKeyVersion } from './refusal.ts';

/** A call about a data key while it is judged. */
export interface KeyCase<Call> {
  readonly view: View;
  readonly holder: Holder | null;
  readonly key: KeyRow;
  readonly call: Call;
  readonly crypto: KeyCrypto;
  readonly keyings: readonly Keying[];
  /** The id that the entry of the call gets. */
  readonly entryId: number;
  /** Whether no earlier call of the request has created it. Asked once for each call. */
  readonly isFirst: (creates: Creation) => boolean;
}

/** Decides about a call, with one entry at most. If the function throws a Refusal, the service writes no audit entry for the call. */
export type KeyRule<Call, Answer> = (the: KeyCase<Call>) => Omit<Verdict, 'writes' | 'answer'> & {
  readonly writes?: readonly Write[];
  readonly answer: Answer | Refusal;
};

type Verb = 'wrap' | 'unwrap' | 'rewrap';
type VerbRule<V extends Verb> = KeyRule<
  Item<`POST /v1/batch/${V}`> & (V extends 'wrap' ? unknown : Presenting),
  Output<`POST /v1/keys/:key_id/${V}`>
>;

/** A call with the bytes of the wrapped key that it presents. */
interface Presenting {
  readonly wrapped: Uint8Array;
}

/** Asks the plugins what they have to do with a call. Throws Refusal. */
export function partIn(
  { view, holder, key, call, keyings }: KeyCase<KeyCall>,
  verb: KeyVerb,
  named: KeyAct['named'],
): Participation {
  let all = noPart;
  for (const keying of keyings) {
    const part = keying.find?.(view, { verb, call, holder, key, named });
    if (part) all = all === noPart ? part : joined(all, part);
  }
  return all;
}

const noPart: Participation = {};

const joined = (one: Participation, other: Participation): Participation => ({
  ...one,
  ...other,
  refused: one.refused ?? other.refused,
  logged: { ...one.logged, ...other.logged },
});

/** Drafts the entry of a call, which also says what the call is the first to create. */
export function recorded<Answer>(
  { view, call: { context }, entryId, isFirst, holder }: KeyCase<KeyCall>,
  action: Draft['action'],
  named: KeyAct['named'],
  { creates, logged: more }: Participation,
  answer: Answer | Refusal,
  metadata: Readonly<Record<string, number | undefined>> = {},
): ReturnType<KeyRule<never, Answer>> {
  const isPlain = !more && !creates && !holder?.signIn && !logged(context);
  if (isPlain && !(answer instanceof Refusal)) {
    return { entries: [plainDraft(action, named, metadata)], answer };
  }
  const told = { ...metadata, context: logged(context), ...whoActs(holder), ...more };
  if (answer instanceof Refusal) {
    return { entries: [keyDraft(action, named, { ...told, ...refusalOutcome(answer) })], answer };
  }
  if (!creates || !isFirst(creates)) return { entries: [keyDraft(action, named, told)], answer };
  const entries = [keyDraft(action, named, { ...told, ...creates.logged })];
  return { entries, writes: creates.writes(view, entryId), answer };
}

/** Decodes a wrapped key. The result can be in memory that other code can read, because a wrapped key is not secret. */
export const readWrapped = (text: string): Uint8Array => viewBase64(text) ?? fromBase64(text);

/** Decides about `wrap`: the key must be active. */
const wrap: VerbRule<'wrap'> = (the) => {
  const { key, call, crypto } = the;
  const part = partIn(the, 'wrap', key);
  requireStatus(key, 'active');
  const { key_id, key_version } = key;
  const { dek, context } = call;
  const seal = () => using(fromBase64(dek), (secret) => toBase64(crypto.wrap(secret, context, part.seals)));
  const answer = part.refused ?? { wrapped_key: seal(), key_id, key_version };
  return recorded(the, 'key.wrap', key, part, answer);
};

/** Decides about `unwrap`. The answer is a refusal, with an audit entry, for an altered wrapped key. */
const unwrap: VerbRule<'unwrap'> = (the) => {
  const { key, call, crypto } = the;
  const { wrapped, key_version: expected, context } = call;
  const version = crypto.headOf(wrapped)?.version;
  const named = { key_id: key.key_id, key_version: version ?? key.key_version };
  const part = partIn(the, 'unwrap', named);
  const refusal = refusedToOpen(key, part, version) ?? refusedByVersion(key, version, expected);
  const secret = refusal ? undefined : crypto.unwrap(wrapped, context, part);
  const answer = secret ? { dek: using(secret, toBase64), ...named } : (refusal ?? unauthenticWrappedKey());
  return recorded(the, 'key.unwrap', named, part, answer, { key_version: named.key_version });
};

/** Decides about `rewrap`. A data key that a foreign writer wrapped, who names nobody, becomes one of whom the call names. */
const rewrap: VerbRule<'rewrap'> = (the) => {
  const { key, call, crypto } = the;
  const { wrapped, wrapped_key, context } = call;
  const { key_id, key_version } = key;
  const part = partIn(the, 'rewrap', key);
  requireStatus(key, 'active');
  const { version: from_version, isForeign } = crypto.headOf(wrapped) ?? {};
  const rewrapped = isForeign || from_version !== key_version;
  const refusal = refusedToOpen(key, part, from_version) ?? refusedByVersion(key, from_version);
  const opener = isForeign ? { ...part, seals: undefined } : part;
  const secret = refusal ? undefined : crypto.unwrap(wrapped, context, opener);
  const newest = (dek: Uint8Array) =>
    rewrapped ? toBase64(crypto.wrap(dek, context, part.seals)) : wrapped_key;
  const answer = secret
    ? { wrapped_key: using(secret, newest), key_id, key_version, rewrapped }
    : (refusal ?? unauthenticWrappedKey());
  return recorded(the, 'key.wrap', key, part, answer, { from_version });
};

/** Decides about `hash`: the key must be active. */
const hash: KeyRule<Item<'POST /v1/batch/hash'>, Output<'POST /v1/hash'>> = (the) => {
  const { key, call, crypto } = the;
  requireStatus(key, 'active');
  return { entries: [], answer: { hash: crypto.hash(call.value), key_id: key.key_id } };
};

function refusedByVersion(key: KeyRow, version?: number, expected?: number): Refusal | undefined {
  if (version === undefined) return unauthenticWrappedKey();
  if (expected !== undefined && expected !== version) return wrongKeyVersion(version, expected);
  return version < 1 || version > key.key_version ? wrongKeyVersion(version) : undefined;
}

/** What decides about each verb. */
export const keyRules = { wrap, unwrap, rewrap, hash };
