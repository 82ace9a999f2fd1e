import type { Context, ExpectedKey } from '@eaas/protocol';
import type { StreamOptions } from '@eaas/protocol/stream';
import type { DecryptOptions, WrapOptions } from '../call-options.ts';
import type { EnvelopeClient } from '../envelope-client.ts';

/** What a stream needs of a client. */
export type StreamClient = Pick<EnvelopeClient, 'wrap' | 'unwrap' | 'engines' | 'keyId'>;

/** How far it is, in bytes of plaintext. */
export interface Progress {
  readonly bytes: number;
  /** Of how many, where that is known. */
  readonly total?: number | undefined;
}

interface Progressing {
  /** Called as each chunk leaves. What it throws ends the stream. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The size of the plaintext, where you know it: for `onProgress`. */
  readonly total?: number | undefined;
}

/** How a stream is encrypted. */
export interface EncryptStreamOptions extends WrapOptions, Progressing {
  /** Authenticated with every chunk and needed to decrypt them, but not hidden. */
  readonly context?: Context | undefined;
}

/** Which key, or keys, you expect: the client's where absent. */
export type OpenOptions = Omit<DecryptOptions, 'scope'>;

export interface DecryptStreamOptions extends OpenOptions, Progressing {}

/** The protocol's options out of ours. */
export function streamOptions(
  client: StreamClient,
  { context, signal, onProgress, total }: Progressing & Pick<OpenOptions, 'context' | 'signal'>,
): StreamOptions {
  return {
    context,
    signal,
    engine: client.engines.large,
    onProgress: onProgress && ((bytes) => onProgress({ bytes, total })),
  };
}

export function expectedKey(
  client: StreamClient,
  { keyId = client.keyId, anyKey }: OpenOptions,
): ExpectedKey {
  return anyKey ? { anyKey } : { keyId: keyId ?? [] };
}
