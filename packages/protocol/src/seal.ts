import type { Context } from './context.ts';
import { type DataKey, openUnder, sealUnder, wipeDataKey } from './data-key.ts';
import { deriveDataKey } from './derive-data-key.ts';
import { nobleEngine } from './engines/noble.ts';
import type { Engine } from './engines/engine.ts';
import { parseEnvelope, type Wrapped } from './envelope.ts';
import { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
import { dekLength } from './limits.ts';
import { randomBytes } from './random.ts';

/** Has a DEK wrapped: over HTTP in the SDK, locally in the server. The DEK is overwritten afterwards. */
export type Wrap = (dek: Uint8Array) => Wrapped | Promise<Wrapped>;

/** Gives back the DEK that was wrapped, to be overwritten: a copy. What it throws passes through `open` untouched. */
export type Unwrap = (wrapped: Wrapped) => Uint8Array | Promise<Uint8Array>;

/** What a value is bound to, and by which engine it is sealed. */
export interface SealOptions {
  readonly context?: Context | undefined;
  readonly engine?: Engine;
}

/** Encrypts the plaintext under a fresh DEK, and has that wrapped: the envelope, version 1. */
export async function seal(
  plaintext: Uint8Array,
  wrap: Wrap,
  { context, engine = nobleEngine }: SealOptions = {},
): Promise<Uint8Array> {
  const dek = randomBytes(dekLength);
  return useOnce(engine, dek, wrap, (dataKey) => sealUnder(dataKey, plaintext, context));
}

/**
 * Opens an envelope of version 1. Throws FormatError when the bytes are none, DecryptionError for all that can
 * be wrong after that, another key than the expected one included.
 */
export async function open(
  bytes: Uint8Array,
  unwrap: Unwrap,
  { context, engine = nobleEngine, ...expected }: SealOptions & ExpectedKey,
): Promise<Uint8Array> {
  const envelope = parseEnvelope(bytes);
  requireExpectedKey(envelope.keyId, expected);
  const dek = await unwrap(envelope);
  return useOnce(
    engine,
    dek,
    () => envelope,
    (dataKey) => openUnder(dataKey, envelope, context),
  );
}

/** Derives, uses and wipes a data key; the DEK too, whatever happens. */
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
