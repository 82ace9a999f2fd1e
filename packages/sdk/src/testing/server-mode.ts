import {
  type Context,
  DecryptionError,
  deriveDataKey,
  type Envelope,
  FormatError,
  fromUtf8,
  nobleEngine,
  openUnder,
  parseEnvelope,
  sealUnder,
  toUtf8,
} from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import type { Input, Output } from '@eaas/protocol/wire';
import { type Call, keyDraft, logged, record, refused } from './call.ts';
import { Refusal } from './refusal.ts';
import { refusedByStatus, requireKey, requireStatus } from './require-key.ts';
import { sealedVersion, unwrapDek, wrapDek } from './sealed-dek.ts';
import { type Key, randomBytes, type Tenant, versionOf } from './tenant.ts';
import { usedIn } from './usage.ts';

/** POST /v1/encrypt: the whole envelope under a fresh data key, counted against the month's quota. */
export function encrypt(
  call: Call,
  { plaintext, key_id, context }: Input<'POST /v1/encrypt'>,
): Output<'POST /v1/encrypt'> {
  const { tenant, time } = call;
  const key = requireKey(call, key_id);
  requireStatus(key, 'active');
  const quota = tenant.monthly_encrypt_quota;
  if (quota !== null && usedIn(tenant, time).encrypt >= quota) {
    throw new Refusal('quota_exceeded', "This month's quota of encrypt operations is used up.");
  }
  const dek = randomBytes(32);
  // Wrapped without the context, always: the body authenticates it.
  const wrappedKey = wrapDek(tenant, key, dek);
  const named = { keyId: key.key_id, keyVersion: versionOf(key), wrappedKey };
  const envelope = sealUnder(deriveDataKey(nobleEngine, dek, named), toUtf8(plaintext), context);
  record(call, keyDraft('encrypt', key, { context: logged(context) }));
  return {
    ciphertext: toBase64(envelope),
    wrapped_key: toBase64(wrappedKey),
    iv: toBase64(parseEnvelope(envelope).iv),
    key_id: key.key_id,
    key_version: named.keyVersion,
  };
}

/** POST /v1/decrypt: opens what either mode sealed. A refusal is recorded too. */
export function decrypt(call: Call, input: Input<'POST /v1/decrypt'>): Output<'POST /v1/decrypt'> {
  const key = requireKey(call, input.key_id);
  const metadata = { context: logged(input.context) };
  const plaintext = refusedByStatus(key, 'active', 'disabled') ?? open(call.tenant, key, input);
  const outcome = plaintext instanceof Refusal ? refused(plaintext) : {};
  record(call, keyDraft('decrypt', key, { ...metadata, ...outcome }, input.key_version));
  if (plaintext instanceof Refusal) throw plaintext;
  return { plaintext };
}

function open(tenant: Tenant, key: Key, input: Input<'POST /v1/decrypt'>): string | Refusal {
  try {
    const envelope = effectiveEnvelope(key, input);
    const dek = unwrapDek(tenant, key, envelope.wrappedKey);
    if (!dek) throw new DecryptionError();
    return textUnder(dek, envelope, input.context);
  } catch (error) {
    if (!(error instanceof FormatError || error instanceof DecryptionError)) throw error;
    return new Refusal(
      'decryption_failed',
      'The ciphertext did not open: it was altered, or key_id, key_version or context are not those that it was encrypted with.',
    );
  }
}

/** The envelope with what was presented beside it in place. Throws DecryptionError where the names disagree. */
function effectiveEnvelope({ key_id }: Key, input: Input<'POST /v1/decrypt'>): Envelope {
  const envelope = parseEnvelope(fromBase64(input.ciphertext));
  const wrappedKey = input.wrapped_key === undefined ? envelope.wrappedKey : fromBase64(input.wrapped_key);
  const iv = input.iv === undefined ? envelope.iv : fromBase64(input.iv);
  const isNamed =
    envelope.keyId === key_id &&
    iv.length === envelope.iv.length &&
    sealedVersion(wrappedKey) === input.key_version &&
    (input.wrapped_key !== undefined || envelope.keyVersion === input.key_version);
  if (!isNamed) throw new DecryptionError();
  return { ...envelope, keyVersion: input.key_version, wrappedKey, iv };
}

function textUnder(dek: Uint8Array, envelope: Envelope, context: Context | undefined): string {
  const plaintext = openUnder(deriveDataKey(nobleEngine, dek, envelope), envelope, context);
  try {
    return fromUtf8(plaintext);
  } catch {
    throw new DecryptionError();
  }
}
