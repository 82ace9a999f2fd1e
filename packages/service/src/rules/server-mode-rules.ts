// Decides about encrypt and decrypt in server mode: the value passes through the service.
// operations/data-keys.ts asks it.
import {
  type Context,
  DecryptionError,
  deriveDataKey,
  type Envelope,
  FormatError,
  fromUtf8,
  openUnder,
  parseEnvelope,
  sealUnder,
  toUtf8,
  wipeDataKey,
} from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { using } from '@eaas/protocol/internal';
import type { Input, Output } from '@eaas/protocol/wire';
import { engine, hmac, randomBytes } from '#platform';
import type { KeyCall, Participation } from '../plugin.ts';
import { type KeyCase, type KeyRule, partIn, readWrapped, recorded } from './data-key-rules.ts';
import { refusedToOpen, requireStatus } from './key-rules.ts';
import { Refusal, undefinedIf } from './refusal.ts';

type Bundle = Output<'POST /v1/encrypt'>;

/** Decides about `encrypt`. Throws Refusal. */
export const encryptRule: KeyRule<Input<'POST /v1/encrypt'>, Bundle> = (the) => {
  const { key, call, view } = the;
  const part = partIn(the, 'encrypt', key);
  requireStatus(key, 'active');
  const { monthly_encrypt_quota: quota } = view.tenant;
  if (quota !== null && view.encrypts >= quota) {
    const detail =
      "This month's quota of encrypt operations is used up: ask the operator for a higher quota, or use " +
      'wrap and unwrap, which have no quota.';
    throw new Refusal('quota_exceeded', detail);
  }
  const { plaintext, context } = call;
  const answer = part.refused ?? using(toUtf8(plaintext), (bytes) => sealBundle(the, part, bytes, context));
  const encrypts = answer instanceof Refusal ? 0 : 1;
  return { ...recorded(the, 'encrypt', key, part, answer), encrypts };
};

/** Encrypts a text into a bundle under a new data key. */
function sealBundle(
  { key: { key_id, key_version }, crypto }: KeyCase<KeyCall>,
  { seals }: Participation,
  plaintext: Uint8Array,
  context: Context | undefined,
): Bundle {
  return using(randomBytes(32), (dek) => {
    // Wraps the data key without the context. The ciphertext is bound to the context, so the context still protects the
    // value.
    const wrappedKey = crypto.wrap(dek, undefined, seals);
    const wrapped = { keyId: key_id, keyVersion: key_version, wrappedKey };
    const dataKey = deriveDataKey(engine, dek, wrapped, hmac);
    const wrapped_key = toBase64(wrappedKey);
    const form = (envelope: Uint8Array, iv: Uint8Array): Bundle => {
      return { ciphertext: toBase64(envelope), wrapped_key, iv: toBase64(iv), key_id, key_version };
    };
    const bundle = sealUnder(dataKey, plaintext, context, form);
    wipeDataKey(dataKey);
    return bundle;
  });
}

/** A call to decrypt whose ciphertext was parsed. */
export type DecryptCall = Input<'POST /v1/decrypt'> & {
  /** Undefined if the ciphertext is not an envelope. */
  readonly envelope: Envelope | undefined;
  readonly wrapped: Uint8Array | undefined;
};

/** Parses the ciphertext. The wrapped key and the iv beside it are used instead of those in it. */
export function readDecryptCall(input: Input<'POST /v1/decrypt'>): DecryptCall {
  const envelope = undefinedIf(FormatError, () => parseEnvelope(fromBase64(input.ciphertext)));
  const { wrapped_key: beside } = input;
  return { ...input, envelope, wrapped: beside === undefined ? envelope?.wrappedKey : readWrapped(beside) };
}

/** The text is the same for every cause, because a difference would help an attacker. */
const decryptionFailed =
  'Decryption failed: the ciphertext was altered, or key_id, key_version or context differ from the values used to encrypt.';

/** Decides about `decrypt`. */
export const decryptRule: KeyRule<DecryptCall, Output<'POST /v1/decrypt'>> = (the) => {
  const { key, call, crypto } = the;
  const { key_version: version, wrapped } = call;
  const isVersion = version >= 1 && version <= 0xffff_ffff;
  const named = { key_id: key.key_id, key_version: isVersion ? version : key.key_version };
  const part = partIn(the, 'decrypt', named);
  const refusal = refusedToOpen(key, part, wrapped && crypto.headOf(wrapped)?.version);
  const plaintext = refusal ?? openBundle(the, part) ?? new Refusal('decryption_failed', decryptionFailed);
  const answer = plaintext instanceof Refusal ? plaintext : { plaintext };
  return recorded(the, 'decrypt', named, part, answer);
};

function openBundle(the: KeyCase<DecryptCall>, part: Participation): string | undefined {
  const envelope = effectiveEnvelope(the);
  const dek = envelope && the.crypto.unwrap(envelope.wrappedKey, undefined, part);
  if (!dek) return undefined;
  return using(dek, () => {
    const dataKey = deriveDataKey(engine, dek, envelope, hmac);
    try {
      const plaintext = undefinedIf(DecryptionError, () => openUnder(dataKey, envelope, the.call.context));
      return plaintext && using(plaintext, () => undefinedIf(TypeError, () => fromUtf8(plaintext)));
    } finally {
      wipeDataKey(dataKey);
    }
  });
}

function effectiveEnvelope({ key, call, crypto }: KeyCase<DecryptCall>): Envelope | undefined {
  const { envelope, wrapped, key_version: keyVersion, wrapped_key: beside } = call;
  if (envelope?.keyId !== key.key_id || !wrapped) return undefined;
  const iv = call.iv === undefined ? envelope.iv : fromBase64(call.iv);
  if (iv.length !== envelope.iv.length || crypto.headOf(wrapped)?.version !== keyVersion) return undefined;
  if (beside === undefined && envelope.keyVersion !== keyVersion) return undefined;
  return { ...envelope, keyVersion, wrappedKey: wrapped, iv };
}
