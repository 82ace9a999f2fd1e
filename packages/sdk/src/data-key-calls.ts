import { type Context, DecryptionError, type Wrapped } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/base64';
import { coalesce } from './batches.ts';
import { type EaasError, unreadable } from './errors.ts';
import type { Partition } from './live-key.ts';
import type { Call, CallOptions } from './transport.ts';

/** What an unwrap may need to be told. */
export interface UnwrapOptions extends CallOptions {
  readonly wrapContext?: Context | undefined;
}

export interface DataKeyCalls {
  readonly wrap: (dek: Uint8Array, of: Partition, options?: CallOptions) => Promise<Wrapped>;
  readonly unwrap: (wrapped: Wrapped, options?: UnwrapOptions) => Promise<Uint8Array>;
  readonly hash: (value: string, keyId: string, options?: CallOptions) => Promise<string>;
}

/** The calls that every encryption rests on, in bytes instead of base64; those made together travel together. */
export function createDataKeyCalls(call: Call): DataKeyCalls {
  const wrap = coalesce(call, 'wrap');
  const unwrap = coalesce(call, 'unwrap');
  const hash = coalesce(call, 'hash');

  const requestOf = ({ keyId, keyVersion, wrappedKey }: Wrapped, wrapContext: Context | undefined) => ({
    key_id: keyId,
    key_version: keyVersion,
    wrapped_key: toBase64(wrappedKey),
    context: wrapContext,
  });

  return {
    async wrap(dek, { keyId, wrapContext }, options) {
      const answer = await wrap({ key_id: keyId, dek: toBase64(dek), context: wrapContext }, options);
      return wrappedOf(answer, keyId);
    },
    async unwrap(wrapped, { wrapContext, signal } = {}) {
      const { dek } = await unwrap(requestOf(wrapped, wrapContext), { signal }).catch(asDecryption);
      const bytes = read(dek);
      if (bytes.length !== 32) throw unreadable();
      return bytes;
    },
    async hash(value, keyId, options) {
      const answer = await hash({ key_id: keyId, value }, options);
      if (typeof answer.hash !== 'string') throw unreadable();
      return answer.hash;
    },
  };
}

/** The wrapped key that was answered. Throws EaasError when it is not of the key that was named. */
export function wrappedOf(
  answer: { key_id: string; key_version: number; wrapped_key: string },
  keyId: string,
): Wrapped {
  // Under another key than was asked for, nobody would look for it.
  if (answer.key_id !== keyId.toLowerCase()) throw unreadable();
  return { keyId: answer.key_id, keyVersion: answer.key_version, wrappedKey: read(answer.wrapped_key) };
}

function read(base64: unknown): Uint8Array {
  const bytes = typeof base64 === 'string' ? readBase64(base64) : undefined;
  if (!bytes) throw unreadable();
  return bytes;
}

/** A wrapped key that is not authentic is one more way for a ciphertext not to open. */
export function asDecryption(error: EaasError): never {
  throw error.code === 'wrapped_key_unauthentic' ? new DecryptionError() : error;
}
