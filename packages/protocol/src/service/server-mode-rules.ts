import { fromBase64, toBase64 } from '../base64.ts';
import { using } from '../bytes.ts';
import type { Context } from '../context.ts';
import { openUnder, sealUnder, wipeDataKey } from '../data-key.ts';
import { deriveDataKey } from '../derive.ts';
import type { SyncEngine } from '../engines/engine.ts';
import { type Envelope, parseEnvelope } from '../envelope.ts';
import { DecryptionError, FormatError } from '../errors.ts';
import { fromUtf8, toUtf8 } from '../text.ts';
import type { Input, Output } from '../wire/endpoints.ts';
import {
  intakeMark,
  type KeyCrypto,
  rulingOf,
  type Ruling,
  subjectOf,
  unwrapUnder,
} from './data-key-rules.ts';
import { type KeyFields, refusedByStatus, requireStatus } from './key-rules.ts';
import { decryptionFailed, Refusal } from './refusal.ts';
import { loggedWho, requireSubject } from './subject-rules.ts';

/** The response to an encryption in server mode. */
export type Bundle = Output<'POST /v1/encrypt'>;

/**
 * A request to decrypt. If `wrappedKey` or `iv` is present, it is used instead of the wrapped key or the iv in
 * `ciphertext`.
 */
export interface PresentedBundle {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly keyVersion: number;
  readonly wrappedKey?: Uint8Array | undefined;
  readonly iv?: Uint8Array | undefined;
}

/** Decides about `encrypt` in server mode. Throws Refusal. */
export function encryptRule(
  key: KeyFields,
  crypto: KeyCrypto,
  engine: SyncEngine,
  dek: Uint8Array,
  input: Input<'POST /v1/encrypt'>,
): Ruling<Bundle> {
  requireSubject(key, input);
  const { subject, refused } = subjectOf(crypto, input, 'encrypt', key);
  requireStatus(key, 'active');
  const { plaintext, context } = input;
  const wrap = (secret: Uint8Array) => crypto.wrap(secret, undefined, subject);
  const answer = refused ?? sealBundle(key, { wrap }, engine, dek, toUtf8(plaintext), context);
  return rulingOf('encrypt', key, { context, ...loggedWho(crypto, input) }, answer, subject);
}

/** Decides about `decrypt` in server mode. */
export function decryptRule(
  key: KeyFields,
  crypto: KeyCrypto,
  engine: SyncEngine,
  input: Input<'POST /v1/decrypt'>,
): Ruling<Output<'POST /v1/decrypt'>> {
  const presented = {
    ciphertext: fromBase64(input.ciphertext),
    keyId: key.key_id,
    keyVersion: input.key_version,
    wrappedKey: input.wrapped_key === undefined ? undefined : fromBase64(input.wrapped_key),
    iv: input.iv === undefined ? undefined : fromBase64(input.iv),
  };
  const wrapped = wrappedKeyIn(input);
  const isVersion = input.key_version >= 1 && input.key_version <= 0xffff_ffff;
  const named = { key_id: key.key_id, key_version: isVersion ? input.key_version : key.key_version };
  const { subject, refused } = subjectOf(crypto, input, 'decrypt', named, wrapped);
  const opener = {
    versionOf: (wrapped: Uint8Array) => crypto.versionOf(wrapped),
    unwrap: (wrapped: Uint8Array) => unwrapUnder(key, crypto, wrapped, undefined, subject),
  };
  const open = () => openBundle(opener, engine, presented, input.context) ?? decryptionFailed();
  const plaintext = refusedByStatus(key, 'active', 'disabled') ?? refused ?? open();
  const answer = plaintext instanceof Refusal ? plaintext : { plaintext };
  const metadata = {
    context: input.context,
    ...intakeMark(wrapped),
    ...loggedWho(crypto, input),
  };
  return rulingOf('decrypt', named, metadata, answer);
}

/** Returns the wrapped key that `decryptRule` unwraps, or undefined if the ciphertext is not an envelope. */
export function wrappedKeyIn({ ciphertext, wrapped_key }: Input<'POST /v1/decrypt'>): Uint8Array | undefined {
  if (wrapped_key !== undefined) return fromBase64(wrapped_key);
  return unless(FormatError, () => parseEnvelope(fromBase64(ciphertext)))?.wrappedKey;
}

/** Encrypts a text into a bundle under a new data key. */
export function sealBundle(
  { key_id, key_version }: Pick<KeyFields, 'key_id' | 'key_version'>,
  crypto: Pick<KeyCrypto, 'wrap'>,
  engine: SyncEngine,
  dek: Uint8Array,
  plaintext: Uint8Array,
  context?: Context,
): Bundle {
  return using(dek, () => {
    // Wraps the data key without the context. The ciphertext is bound to the context, so the context still protects the
    // value.
    const wrapped = { keyId: key_id, keyVersion: key_version, wrappedKey: crypto.wrap(dek) };
    const dataKey = deriveDataKey(engine, dek, wrapped);
    const wrapped_key = toBase64(wrapped.wrappedKey);
    const form = (envelope: Uint8Array, iv: Uint8Array): Bundle => {
      return { ciphertext: toBase64(envelope), wrapped_key, iv: toBase64(iv), key_id, key_version };
    };
    const bundle = sealUnder(dataKey, plaintext, context, form);
    wipeDataKey(dataKey);
    return bundle;
  });
}

/** Decrypts a bundle under an unwrapped data key. */
export function openBundle(
  crypto: Pick<KeyCrypto, 'versionOf' | 'unwrap'>,
  engine: SyncEngine,
  presented: PresentedBundle,
  context?: Context,
): string | undefined {
  const envelope = effectiveEnvelope(crypto, presented);
  const dek = envelope && crypto.unwrap(envelope.wrappedKey);
  if (!dek) return undefined;
  return using(dek, () => {
    const dataKey = deriveDataKey(engine, dek, envelope);
    try {
      const plaintext = unless(DecryptionError, () => openUnder(dataKey, envelope, context));
      return plaintext && using(plaintext, () => unless(TypeError, () => fromUtf8(plaintext)));
    } finally {
      wipeDataKey(dataKey);
    }
  });
}

function effectiveEnvelope(
  { versionOf }: Pick<KeyCrypto, 'versionOf'>,
  { ciphertext, keyId, keyVersion, ...beside }: PresentedBundle,
): Envelope | undefined {
  const envelope = unless(FormatError, () => parseEnvelope(ciphertext));
  if (envelope?.keyId !== keyId) return undefined;
  const { wrappedKey = envelope.wrappedKey, iv = envelope.iv } = beside;
  if (iv.length !== envelope.iv.length || versionOf(wrappedKey) !== keyVersion) return undefined;
  if (!beside.wrappedKey && envelope.keyVersion !== keyVersion) return undefined;
  return { ...envelope, keyVersion, wrappedKey, iv };
}

function unless<T>(kind: new () => Error, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof kind) return undefined;
    throw error;
  }
}
