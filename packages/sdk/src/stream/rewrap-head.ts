// Moves a stream under the newest version of its key: only its beginning changes.
import { isBytes, having, requireKind } from '@eaas/protocol/internal';
import { parseStreamHead } from '@eaas/protocol/stream';
import type { EaasClient } from '../client/client.ts';
import type { Rewrapped } from '../client/rewrap.ts';
import type { UnwrapOptions } from '../data-keys/calls.ts';

/** The result of `rewrapHead`: the new beginning of a stream. */
export interface RewrappedHead extends Pick<Rewrapped, 'keyVersion' | 'rewrapped'> {
  readonly head: Uint8Array;
  /**
   * The number of bytes at the beginning of the stream that `head` replaces. If `head` has exactly this length, you can
   * overwrite these bytes in place.
   */
  readonly replaces: number;
}

/**
 * Asks the service to wrap the data key of a stream under the newest version of its key. Pass the first 2,138 bytes of
 * the stream, or all bytes of a shorter stream. No data key leaves the service, and no chunk changes. Throws
 * FormatError for bytes that are not an encrypted stream. Throws DecryptionError if the wrapped key was altered or has
 * another wrap context. Throws EaasError if the service refuses.
 *
 * @example
 * ```ts
 * import { rewrapHead } from '@eaas/sdk/stream';
 *
 * await eaas.keys.rotate(keyId);
 * const beginning = new Uint8Array(await storedFile.slice(0, 2_138).arrayBuffer());
 * const { head, replaces } = await rewrapHead(eaas, beginning);
 * const moved = new Blob([head as BlobPart, storedFile.slice(replaces)]);
 * ```
 */
export async function rewrapHead(
  client: Pick<EaasClient, 'rewrap'>,
  beginning: Uint8Array,
  options?: UnwrapOptions,
): Promise<RewrappedHead> {
  requireKind(having('a client', 'rewrap'), client, 'the first argument');
  requireKind((value) => isBytes(value) || 'a Uint8Array', beginning, 'the second argument');
  const { end } = parseStreamHead(beginning);
  const { ciphertext, keyVersion, rewrapped } = await client.rewrap(beginning.subarray(0, end), options);
  return { head: ciphertext, replaces: end, keyVersion, rewrapped };
}
