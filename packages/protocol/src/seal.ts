import type { Context } from './context.ts';
import { type DataKey, openUnder, sealUnder, wipeDataKey } from './data-key.ts';
import { deriveDataKey } from './derive.ts';
import { nobleEngine } from './engines/noble.ts';
import type { Engine } from './engines/engine.ts';
import { parseEnvelope, type Wrapped } from './envelope.ts';
import { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
import { dekLength } from './format-sizes.ts';
import { randomBytes } from './bytes.ts';

/**
 * A function that wraps a DEK under a key. The SDK wraps over HTTP, and the server wraps locally. The caller overwrites
 * the DEK afterwards.
 */
export type Wrap = (dek: Uint8Array) => Wrapped | Promise<Wrapped>;

/** Unwraps a DEK. The caller overwrites the returned copy. `open` throws the errors of this function unchanged. */
export type Unwrap = (wrapped: Wrapped) => Uint8Array | Promise<Uint8Array>;

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
  return useOnce(engine, dek, wrap, (dataKey) => sealUnder(dataKey, plaintext, context));
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
  requireExpectedKey(envelope.keyId, expected);
  const dek = await unwrap(envelope);
  const use = (dataKey: DataKey) => openUnder(dataKey, envelope, context);
  return useOnce(engine, dek, () => envelope, use);
}

async function useOnce(
  engine: Engine,
  dek: Uint8Array,
  wrap: Wrap,
  use: (dataKey: DataKey) => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  try {
    const dataKey = await deriveDataKey(engine, dek, await wrap(dek));
    try {
      return await use(dataKey);
    } finally {
      wipeDataKey(dataKey);
    }
  } finally {
    dek.fill(0);
  }
}
