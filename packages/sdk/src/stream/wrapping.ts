// How streams and files wrap and unwrap their data keys: with a client and its halves.
import type { Unwrap, Wrap, Wrapped } from '@eaas/protocol';
import { requireKeyId } from '../caller.ts';
import type { EnvelopeClient } from '../client/envelope-client.ts';
import { inside } from '../client/inside.ts';
import type { UnwrapOptions, WrapOptions } from '../data-keys/calls.ts';

/** The part of an `EaasClient` that encrypted streams use. */
export type StreamClient = Pick<EnvelopeClient, 'wrap' | 'unwrap' | 'keyId' | typeof inside>;

/** The members of an `EaasClient` or an `Intake` that `encryptStream` and `encryptBlob` use. */
export type StreamWriter = Pick<StreamClient, 'wrap' | 'keyId' | typeof inside>;

/** Wraps with a client, and mixes its first half into the data key. */
export function wrapBy(client: StreamWriter, { keyId, subject, wrapContext, signal }: WrapOptions): Wrap {
  const { halves } = client[inside];
  const whose = subject === undefined ? {} : { subject };
  const wrap = (dek: Uint8Array) => client.wrap(dek, { keyId, wrapContext, signal, ...whose });
  if (!halves) return wrap;
  const of = { keyId: requireKeyId(keyId ?? client.keyId), subject, signal };
  return async (dek) => (await halves.load()).wrap(of, dek, () => wrap(dek));
}

/** Unwraps with a client, and mixes its halves into data keys. */
export function unwrapBy(client: StreamClient, { subject, wrapContext, signal }: UnwrapOptions): Unwrap {
  const { halves } = client[inside];
  const whose = subject === undefined ? {} : { subject };
  const unwrap = (wrapped: Wrapped) => client.unwrap(wrapped, { wrapContext, signal, ...whose });
  if (!halves) return unwrap;
  return async (wrapped) => {
    const { keyId } = wrapped;
    const opened = await (await halves.load()).unwrap({ keyId, subject, signal }, () => unwrap(wrapped));
    return opened.map(({ dek }) => dek);
  };
}
