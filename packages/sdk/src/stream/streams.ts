import type { Unwrap, Wrap } from '@eaas/protocol';
import { openStream, sealStream } from '@eaas/protocol/stream';
import {
  type DecryptStreamOptions,
  type EncryptStreamOptions,
  expectedKey,
  type OpenOptions,
  type StreamClient,
  streamOptions,
} from './options.ts';

type ByteTransform = TransformStream<Uint8Array, Uint8Array>;

/**
 * Encrypts a stream of any length in constant memory, under a data key of its own. The data key is wrapped at once; the
 * stream fails with EaasError when the service refuses, and with the signal's reason when it is aborted.
 */
export function encryptStream(client: StreamClient, options: EncryptStreamOptions = {}): ByteTransform {
  return sealStream(wrapBy(client, options), streamOptions(client, options));
}

/**
 * Decrypts a stream in constant memory. A chunk leaves only when it is authenticated, and the stream ends without an
 * error only when its last chunk was seen: until then what came out is the beginning of what was encrypted, and no more.
 * Fails with FormatError for what is no stream, DecryptionError for all that can be wrong after that, and EaasError.
 */
export function decryptStream(client: StreamClient, options: DecryptStreamOptions = {}): ByteTransform {
  return openStream(unwrapBy(client, options), {
    ...streamOptions(client, options),
    ...expectedKey(client, options),
  });
}

export function wrapBy(client: StreamClient, { keyId, wrapContext, signal }: EncryptStreamOptions): Wrap {
  return (dek) => client.wrap(dek, { keyId, wrapContext, signal });
}

export function unwrapBy(client: StreamClient, { wrapContext, signal }: OpenOptions): Unwrap {
  return (wrapped) => client.unwrap(wrapped, { wrapContext, signal });
}
