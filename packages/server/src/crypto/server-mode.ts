import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  type Context,
  DecryptionError,
  deriveDataKey,
  type Envelope,
  FormatError,
  openUnder,
  parseEnvelope,
  sealUnder,
  type Wrapped,
  wipeDataKey,
} from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { sealedVersion } from './sealed-secret.ts';

/** The key version that seals: which it is, and how it wraps a DEK (78 bytes). */
export interface WrappingKey {
  readonly keyId: string;
  readonly keyVersion: number;
  readonly wrap: (dek: Uint8Array) => Uint8Array;
}

/** What /v1/encrypt answers: `ciphertext` is the whole envelope, the rest are copies of its parts. */
export interface Bundle {
  readonly ciphertext: string;
  readonly wrapped_key: string;
  readonly iv: string;
  readonly key_id: string;
  readonly key_version: number;
}

/** What /v1/decrypt is given, out of base64. */
export interface PresentedBundle {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly keyVersion: number;
  /** Used in place of the one in the envelope. */
  readonly wrappedKey?: Uint8Array | undefined;
  /** Used in place of the one in the envelope. */
  readonly iv?: Uint8Array | undefined;
}

/** Seals a plaintext under a fresh DEK. */
export function sealBundle(plaintext: Uint8Array, key: WrappingKey, context?: Context): Bundle {
  const { keyId, keyVersion, wrap } = key;
  const dek = randomBytes(32);
  try {
    const wrapped = { keyId, keyVersion, wrappedKey: wrap(dek) };
    const envelope = sealWith(dek, wrapped, plaintext, context);
    return {
      ciphertext: toBase64(envelope),
      wrapped_key: toBase64(wrapped.wrappedKey),
      iv: toBase64(parseEnvelope(envelope).iv),
      key_id: keyId,
      key_version: keyVersion,
    };
  } finally {
    dek.fill(0);
  }
}

/**
 * The plaintext, which is valid UTF-8, or undefined: all that can be wrong with a bundle is one failure.
 * `unwrap` gives a copy of the DEK, which is wiped, or undefined where `keyVersion` did not wrap it.
 */
export function openBundle(
  presented: PresentedBundle,
  unwrap: (wrappedKey: Uint8Array) => Uint8Array | undefined,
  context?: Context,
): Uint8Array | undefined {
  const envelope = effectiveEnvelope(presented);
  const dek = envelope && unwrap(envelope.wrappedKey);
  if (!dek) return undefined;
  try {
    const plaintext = openWith(dek, envelope, context);
    if (!plaintext || isUtf8(plaintext)) return plaintext;
    plaintext.fill(0);
    return undefined;
  } finally {
    dek.fill(0);
  }
}

/** The envelope with what was presented beside it in place, or undefined where the names disagree. */
function effectiveEnvelope({
  ciphertext,
  keyId,
  keyVersion,
  ...beside
}: PresentedBundle): Envelope | undefined {
  const envelope = orUndefined(() => parseEnvelope(ciphertext));
  if (envelope?.keyId !== keyId) return undefined;
  const { wrappedKey = envelope.wrappedKey, iv = envelope.iv } = beside;
  if (iv.length !== envelope.iv.length || sealedVersion(wrappedKey) !== keyVersion) return undefined;
  if (!beside.wrappedKey && envelope.keyVersion !== keyVersion) return undefined;
  return { ...envelope, keyVersion, wrappedKey, iv };
}

function sealWith(
  dek: Uint8Array,
  wrapped: Wrapped,
  plaintext: Uint8Array,
  context: Context | undefined,
): Uint8Array {
  const dataKey = deriveDataKey(nodeEngine, dek, wrapped);
  try {
    return sealUnder(dataKey, plaintext, context);
  } finally {
    wipeDataKey(dataKey);
  }
}

function openWith(dek: Uint8Array, envelope: Envelope, context: Context | undefined): Uint8Array | undefined {
  const dataKey = deriveDataKey(nodeEngine, dek, envelope);
  try {
    return orUndefined(() => openUnder(dataKey, envelope, context));
  } finally {
    wipeDataKey(dataKey);
  }
}

function orUndefined<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof FormatError || error instanceof DecryptionError) return undefined;
    throw error;
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
