import { type EncryptedFile, openFile as open, type RangeSource } from '@eaas/protocol/stream';
import { expectedKey, type OpenOptions, type StreamClient } from './options.ts';
import { unwrapBy } from './streams.ts';

/**
 * Opens an encrypted stream that lies where parts of it can be read, to decrypt any part of it. Unwraps its data key
 * and reads its last chunk, so that its size is authentic and a file that was cut is refused here. Throws FormatError,
 * DecryptionError, EaasError, and what its source throws. Close it when you are done.
 */
export function openFile(
  client: StreamClient,
  source: RangeSource,
  options: OpenOptions = {},
): Promise<EncryptedFile> {
  const { context, signal } = options;
  const engine = client.engines.large;
  return open(unwrapBy(client, options), source, {
    context,
    signal,
    engine,
    ...expectedKey(client, options),
  });
}
