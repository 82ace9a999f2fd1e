// Encrypts and decrypts a value with a data key of its own, for callers that keep no data keys. The caller says who wraps it.
import type { Context } from './context.ts';
import { openUnder, sealUnder, wipeDataKey } from './data-key.ts';
import { deriveCommitted, deriveDataKey, type Unwrapped } from './derive.ts';
import { nobleEngine } from './engines/noble.ts';
import type { Engine } from './engines/engine.ts';
import { parseEnvelope, type Wrapped } from './envelope.ts';
import { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
import { dekLength } from './format-sizes.ts';
import { randomBytes } from './bytes.ts';

/**
 * A function that wraps a DEK under a key. The SDK wraps over HTTP, and the server wraps locally. A client with a second
 * half then replaces the bytes of the DEK by those that it becomes with the half. The caller overwrites the DEK afterwards.
 */
export type Wrap = (dek: Uint8Array) => Wrapped | Promise<Wrapped>;

/** Unwraps a DEK. The caller overwrites the returned copies. `open` throws the errors of this function unchanged. */
export type Unwrap = (wrapped: Wrapped) => Unwrapped | Promise<Unwrapped>;

/** The context of a value, and the engine that encrypts it. */
export interface SealOptions {
  readonly context?: Context | undefined;
  readonly engine?: Engine;
}

/** Encrypts a plaintext under a new DEK. Returns an envelope of version 1. */
export async function seal(
  plaintext: Uint8Array,
  wrap: Wrap,
  { context, engine = nobleEngine }: SealOptions = {},
): Promise<Uint8Array> {
  const dek = randomBytes(dekLength);
  try {
    const dataKey = await deriveDataKey(engine, dek, await wrap(dek));
    try {
      return await sealUnder(dataKey, plaintext, context);
    } finally {
      wipeDataKey(dataKey);
    }
  } finally {
    dek.fill(0);
  }
}

/**
 * Decrypts an envelope of version 1. Throws FormatError for bytes that are not an envelope of version 1, and
 * DecryptionError if the decryption fails.
 */
export async function open(
  bytes: Uint8Array,
  unwrap: Unwrap,
  { context, engine = nobleEngine, ...expected }: SealOptions & ExpectedKey,
): Promise<Uint8Array> {
  const envelope = parseEnvelope(bytes);
  requireExpectedKey(envelope.keyId, expected, envelope.wrappedKey);
  const derive = async (dek: Uint8Array) => deriveDataKey(engine, dek, envelope);
  const dataKey = await deriveCommitted(await unwrap(envelope), envelope.commitment, derive);
  try {
    return await openUnder(dataKey, envelope, context);
  } finally {
    wipeDataKey(dataKey);
  }
}
