import { DecryptionError, InputError, type Wrapped } from '@eaas/protocol/internal-core';
import { readBase64, toBase64 } from '@eaas/protocol/base64';
import { isBytes } from '@eaas/protocol/internal';
import { kindOf } from '@eaas/protocol/internal-options';
import { contextOf, requireDek, requireText } from '../client/ciphertext.ts';
import { type ServiceError, unreadable } from '../errors.ts';
import type { UnwrapOptions } from '../options/call-options.ts';
import type { Partition } from '../data-keys/derive.ts';
import { requireKeyId } from '../options/key-id.ts';
import { type Caller, requireSubjectMatch } from '../options/people.ts';
import { type Call, type CallOptions, coalesce, type Patience } from './transport.ts';

export type DataKeyCalls = ReturnType<typeof createDataKeyCalls>;

export function createDataKeyCalls(call: Call, patience: Patience) {
  const wrap = coalesce(call, 'POST /v1/keys/:key_id/wrap', patience);
  const unwrap = coalesce(call, 'POST /v1/keys/:key_id/unwrap', patience);
  const hash = coalesce(call, 'POST /v1/hash', patience);

  return {
    async wrap(dek: Uint8Array, of: Partition, options?: CallOptions): Promise<Wrapped> {
      requireDek(dek);
      const { keyId, subject, user } = of;
      const context = contextOf(of.wrapContext);
      const input = { key_id: keyId, dek: toBase64(dek), context, subject, user };
      return wrappedOf(await wrap(input, options), keyId);
    },
    async unwrap(
      wrapped: Wrapped,
      { wrapContext, subject, signal }: UnwrapOptions = {},
      { user, signsIn }: Partial<Caller> = {},
    ): Promise<Uint8Array> {
      if (!(isBytes(wrapped?.wrappedKey) && Number.isInteger(wrapped.keyVersion))) {
        throw new InputError(
          `the argument of \`unwrap\` must be the return value of \`wrap\` (got ${kindOf(wrapped)})`,
        );
      }
      const { keyVersion: key_version, wrappedKey } = wrapped;
      requireSubjectMatch(wrappedKey, subject, signsIn);
      const key_id = requireKeyId(wrapped.keyId);
      const context = contextOf(wrapContext);
      const input = { key_id, key_version, wrapped_key: toBase64(wrappedKey), context, subject, user };
      try {
        return read((await unwrap(input, { signal })).dek, 32, 32);
      } catch (error) {
        return asDecryption(error as ServiceError);
      }
    },
    async hash(value: string, keyId: string, options?: CallOptions): Promise<string> {
      requireText(value);
      const output = await hash({ key_id: keyId, value }, options);
      if (typeof output.hash !== 'string') throw unreadable();
      return output.hash;
    },
  };
}

export function wrappedOf(
  output: { key_id: string; key_version: number; wrapped_key: string },
  keyId: string,
): Wrapped {
  const { key_id, key_version: keyVersion, wrapped_key } = output;
  if (key_id !== keyId.toLowerCase() || keyVersion >>> 0 !== keyVersion) throw unreadable();
  return { keyId: key_id, keyVersion, wrappedKey: read(wrapped_key, 1, 2_048) };
}

function read(base64: unknown, least: number, most: number): Uint8Array {
  const bytes = typeof base64 === 'string' && readBase64(base64);
  if (!bytes || bytes.length < least || bytes.length > most) throw unreadable();
  return bytes;
}

export function asDecryption(error: ServiceError): never {
  throw error.code === 'wrapped_key_unauthentic' ? new DecryptionError() : error;
}
