// Streams and files with noble, unless the caller passes another engine: the entry `@eaas/protocol/stream`.
import { nobleEngine } from './engines/noble.ts';
import type { ExpectedKey } from './expected-key.ts';
import type { SealOptions, Unwrap, Wrap } from './seal.ts';
import type { RangeSource } from './range-source.ts';
import { type EncryptedFile, type FileOptions, openFile as open } from './stream-range.ts';
import { openStream as opening, sealStream as sealing, type StreamOptions } from './stream-transforms.ts';

export type { EncryptedFile, FileOptions, ByteRange } from './stream-range.ts';
export type { RangeSource } from './range-source.ts';
export { ciphertextSize, maxHeadLength, parseStreamHead } from './stream-format.ts';
export { plaintextSize, type StreamHead } from './stream-format.ts';
export type { StreamOptions } from './stream-transforms.ts';

/** Encrypts a stream of any length in constant memory under a new DEK. The output is an envelope of version 2. */
export function sealStream(wrap: Wrap, options: StreamOptions = {}): TransformStream<Uint8Array, Uint8Array> {
  return sealing(wrap, withEngine(options));
}

/**
 * Decrypts a stream of version 2. Each chunk is authenticated before it is output. The stream fails with
 * DecryptionError if a chunk was changed, moved or removed, or if the last chunk is missing.
 */
export function openStream(
  unwrap: Unwrap,
  options: StreamOptions & ExpectedKey,
): TransformStream<Uint8Array, Uint8Array> {
  return opening(unwrap, withEngine(options));
}

/**
 * Opens a version 2 stream whose source can be read in parts. Decrypts the last chunk first, so a truncated file is
 * refused and `size` is authentic. Throws the same errors as openStream.
 */
export async function openFile(
  unwrap: Unwrap,
  source: RangeSource,
  options: FileOptions,
): Promise<EncryptedFile> {
  return open(unwrap, source, withEngine(options));
}

const withEngine = <Options extends SealOptions>(options: Options) => ({
  ...options,
  engine: options.engine ?? nobleEngine,
});
