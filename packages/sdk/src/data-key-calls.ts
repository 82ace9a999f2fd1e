import { type Context, DecryptionError, encodeContext, type Wrapped } from '@eaas/protocol';
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
export function createDataKeyCalls(call: Call, patience: number): DataKeyCalls {
  const wrap = coalesce(call, 'POST /v1/keys/:key_id/wrap', patience);
  const unwrap = coalesce(call, 'POST /v1/keys/:key_id/unwrap', patience);
  const hash = coalesce(call, 'POST /v1/hash', patience);

  return {
    async wrap(dek, { keyId, wrapContext }, options) {
      const context = contextOf(wrapContext);
      return wrappedOf(await wrap({ key_id: keyId, dek: toBase64(dek), context }, options), keyId);
    },
    async unwrap(wrapped, { wrapContext, signal } = {}) {
      const input = {
        key_id: wrapped.keyId,
        key_version: wrapped.keyVersion,
        wrapped_key: toBase64(wrapped.wrappedKey),
        context: contextOf(wrapContext),
      };
      const { dek } = await unwrap(input, { signal }).catch(asDecryption);
      return read(dek, 32, 32);
    },
    async hash(value, keyId, options) {
      const answer = await hash({ key_id: keyId, value }, options);
      if (typeof answer.hash !== 'string') throw unreadable();
      return answer.hash;
    },
  };
}

/** The context as it is now, whatever becomes of the object while a call waits. Throws InputError for what is none. */
export function contextOf(context: Context | undefined): Context | undefined {
  encodeContext(context);
  return context && { ...context };
}

/** The wrapped key that was answered. Throws EaasError when it is not of the key that was named. */
export function wrappedOf(
  answer: { key_id: string; key_version: number; wrapped_key: string },
  keyId: string,
): Wrapped {
  // Under another key than was asked for, nobody would look for it.
  if (answer.key_id !== keyId.toLowerCase()) throw unreadable();
  const { key_version: keyVersion, wrapped_key } = answer;
  if (keyVersion >>> 0 !== keyVersion) throw unreadable();
  return { keyId: answer.key_id, keyVersion, wrappedKey: read(wrapped_key, 1, 1_024) };
}

/** So many bytes. Throws EaasError where they are not. */
function read(base64: unknown, least: number, most: number): Uint8Array {
  const bytes = typeof base64 === 'string' && readBase64(base64);
  if (!bytes || bytes.length < least || bytes.length > most) throw unreadable();
  return bytes;
}

/** A wrapped key that is not authentic is one more way for a ciphertext not to open. */
export function asDecryption(error: EaasError): never {
  throw error.code === 'wrapped_key_unauthentic' ? new DecryptionError() : error;
}
