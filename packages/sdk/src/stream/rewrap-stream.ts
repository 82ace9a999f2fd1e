import { FormatError } from '@eaas/protocol';
import { findStreamHead, maxHeadLength, parseStreamHead } from '@eaas/protocol/stream';
import type { EaasClient } from '../client.ts';
import type { UnwrapOptions } from '../data-key-calls.ts';

type RewrapClient = Pick<EaasClient, 'rewrap'>;

/** What takes the place of a stream's beginning. */
export interface RewrappedHead {
  readonly head: Uint8Array;
  /** How many bytes of the old stream it replaces: where it is as long, it can be written over them. */
  readonly replaces: number;
  readonly keyVersion: number;
  /** False where it was under the newest version already: then it is the same. */
  readonly rewrapped: boolean;
}

/**
 * Has the data key of a stream wrapped under the newest version of its key, given the first 1,114 bytes of the stream or
 * as many as there are. The service does it: no data key leaves it, and no chunk changes. Throws FormatError for what is
 * no stream, DecryptionError and EaasError.
 */
export async function rewrapHead(
  client: RewrapClient,
  beginning: Uint8Array,
  options?: UnwrapOptions,
): Promise<RewrappedHead> {
  const { end } = parseStreamHead(beginning);
  const { ciphertext, key_version, rewrapped } = await client.rewrap(beginning.subarray(0, end), options);
  return { head: ciphertext, replaces: end, keyVersion: key_version, rewrapped };
}

/**
 * As rewrapHead, for a store in which an object can only be written anew: the stream with its new head. The chunks pass
 * as they are, and are not checked.
 */
export function rewrapStream(
  client: RewrapClient,
  options?: UnwrapOptions,
): TransformStream<Uint8Array, Uint8Array> {
  let beginning: Uint8Array | undefined = new Uint8Array(0);
  return new TransformStream<Uint8Array, Uint8Array>({
    async transform(bytes, controller) {
      if (!beginning) return controller.enqueue(bytes);
      const before = beginning.length;
      const taken = bytes.subarray(0, maxHeadLength - before);
      const joined = new Uint8Array(before + taken.length);
      joined.set(beginning);
      joined.set(taken, before);
      beginning = joined;
      if (!findStreamHead(beginning)) return;
      const { head, replaces } = await rewrapHead(client, beginning, options);
      beginning = undefined;
      controller.enqueue(head);
      const rest = bytes.subarray(replaces - before);
      if (rest.length > 0) controller.enqueue(rest);
    },
    flush() {
      if (beginning) throw new FormatError('not a whole envelope: it is cut short');
    },
  });
}
