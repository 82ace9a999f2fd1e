import { FormatError } from '@eaas/protocol/internal-core';
import { isBytes } from '@eaas/protocol/internal';
import { having, requireKind, requireOptions, type Rule } from '@eaas/protocol/internal-options';
import { findStreamHead, maxHeadLength, parseStreamHead } from '@eaas/protocol/stream';
import type { EaasClient } from '../client/client.ts';
import { type UnwrapOptions, unwrapOptions } from '../transport/data-key-calls.ts';

type RewrapClient = Pick<EaasClient, 'rewrap'>;

const aClient = /* @__PURE__ */ having('a client', 'rewrap');
const someBytes: Rule = (value) => isBytes(value) || 'a Uint8Array';

/** The result of `rewrapHead`: the new beginning of a stream. */
export interface RewrappedHead {
  readonly head: Uint8Array;
  /**
   * The number of bytes at the beginning of the stream that `head` replaces. If `head` has exactly this length, you can
   * overwrite these bytes in place.
   */
  readonly replaces: number;
  readonly keyVersion: number;
  /** False if the data key was already wrapped under the newest version. The stream then needs no change. */
  readonly rewrapped: boolean;
}

/**
 * Asks the service to wrap the data key of a stream under the newest version of its key. Pass the first 2,138 bytes of
 * the stream, or all bytes of a shorter stream. No data key leaves the service, and no chunk changes. Throws
 * FormatError for bytes that are not an encrypted stream. Throws DecryptionError if the wrapped key was altered or has
 * another wrap context. Throws EaasError if the service refuses.
 */
export async function rewrapHead(
  client: RewrapClient,
  beginning: Uint8Array,
  options?: UnwrapOptions,
): Promise<RewrappedHead> {
  requireKind(aClient, client, 'the first argument');
  requireKind(someBytes, beginning, 'the second argument');
  const { end } = parseStreamHead(beginning);
  const { ciphertext, key_version, rewrapped } = await client.rewrap(beginning.subarray(0, end), options);
  return { head: ciphertext, replaces: end, keyVersion: key_version, rewrapped };
}

/**
 * Returns a TransformStream that copies an encrypted stream and rewraps its data key, as `rewrapHead` does. Use it if
 * your store can write only whole objects, and so cannot replace the beginning of a stream. Does not check the chunks.
 */
export function rewrapStream(
  client: RewrapClient,
  options: UnwrapOptions = {},
): TransformStream<Uint8Array, Uint8Array> {
  requireKind(aClient, client, 'the first argument');
  requireOptions(unwrapOptions, options, 'rewrapStream');
  let beginning: Uint8Array | undefined = new Uint8Array(0);
  return new TransformStream<Uint8Array, Uint8Array>({
    async transform(bytes, controller) {
      if (!beginning) return controller.enqueue(bytes);
      const before = beginning.length;
      beginning = Uint8Array.from([...beginning, ...bytes.subarray(0, maxHeadLength - before)]);
      if (!findStreamHead(beginning)) return;
      const { head, replaces } = await rewrapHead(client, beginning, options);
      beginning = undefined;
      controller.enqueue(head);
      const rest = bytes.subarray(replaces - before);
      if (rest.length > 0) controller.enqueue(rest);
    },
    flush() {
      if (beginning)
        throw new FormatError(
          'the stream ends before its header is complete: pass all bytes of an encrypted stream',
        );
    },
  });
}
