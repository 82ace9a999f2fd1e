// Has the service wrap and unwrap data keys, and checks what it answers.
import {
  type Context,
  DecryptionError,
  InputError,
  isBytes,
  kindOf,
  type OptionRules,
  type Wrapped,
} from '@eaas/protocol/internal';
import { readBase64, toBase64 } from '@eaas/protocol/internal-base64';
import type { Output } from '@eaas/protocol/wire';
import { contextOf, requireDek, requireText } from './ciphertext.ts';
import { type ServiceError, unreadable } from '../errors.ts';
import type { Tracing } from '../events.ts';
import type { DerivedDataKey, Partition } from './derive.ts';
import type { Erasures } from './erasures.ts';
import { type Caller, keyId, requireKeyId, requireSubjectMatch, somebody } from '../caller.ts';
import { coalesce } from '../http/batches.ts';
import type { Call, CallOptions, Patience } from '../http/transport.ts';

export interface SubjectOption {
  /**
   * The person whose data the value is, by an opaque id of your app: 1 to 256 bytes of UTF-8. The data key then belongs
   * to this person, and `subjects.erase` makes everything under it unreadable. Decryption needs the same subject. A UUID
   * is the same subject in upper and lower case. Undefined throws InputError, because the value would be one of nobody.
   */
  readonly subject?: string;
}

/** Options of `unwrap`. */
export interface UnwrapOptions extends CallOptions, SubjectOption {
  /**
   * The service binds the wrap context to the data key, and unwraps the data key only with the same wrap context.
   * Server mode cannot decrypt a value whose data key has a wrap context.
   */
  readonly wrapContext?: Context | undefined;
}

/** Options of `wrap`. */
export interface WrapOptions extends UnwrapOptions {
  /** The id of the key that the call uses. Defaults to the client's key. */
  readonly keyId?: string | undefined;
}

/** Options of `hash`. */
export type HashOptions = Pick<WrapOptions, 'signal' | 'keyId'>;

export const hashOptions: OptionRules<HashOptions> = { signal: 'signal', keyId };
export const unwrapOptions: OptionRules<UnwrapOptions> = {
  signal: 'signal',
  subject: somebody,
  wrapContext: 'object',
};
export const wrapOptions: OptionRules<WrapOptions> = { ...unwrapOptions, keyId };

/** Whose data key it is. */
export type Whose = Pick<Partition, 'keyId' | 'subject'> & CallOptions;

type Made = Promise<DerivedDataKey>;
export type Derive<More extends unknown[] = []> = (dek: Uint8Array, ...more: More) => Made;

/** What stands between a DEK and its data key: the halves of a client, if it has any. */
interface Mixing {
  mint(of: Whose, dek: Uint8Array, wrap: () => Promise<Wrapped>, derive: Derive<[Wrapped]>): Made;
  open(of: Whose, unwrap: () => Promise<Uint8Array>, derive: Derive): Made;
}

export type DataKeyCalls = ReturnType<typeof createDataKeyCalls>;

export function createDataKeyCalls(
  call: Call,
  patience: Patience,
  erasures: Erasures,
  tracing: Tracing,
  halves?: { readonly load: () => Promise<Mixing> },
) {
  const wrap = coalesce(call, 'POST /v1/keys/:key_id/wrap', patience);
  const unwrap = coalesce(call, 'POST /v1/keys/:key_id/unwrap', patience);
  const hash = coalesce(call, 'POST /v1/hash', patience);
  /** Fetches a data key that is not in memory. */
  const missing = (verb: 'mint' | 'unwrap', keyId: string, work: () => Made): Made =>
    tracing({ name: `eaas ${verb} data key`, keyId, work });

  const calls = {
    erasures,
    /** Wraps a new DEK, and derives its data key. */
    mint(of: Partition, dek: Uint8Array, derive: Derive<[Wrapped]>, options: Parameters<typeof wrap>[1]) {
      const wrap = () => calls.wrap(dek, of, options);
      return missing('mint', of.keyId, async () =>
        halves ? (await halves.load()).mint(of, dek, wrap, derive) : derive(dek, await wrap()),
      );
    },
    /** Unwraps a DEK, and derives its data key. */
    open(wrapped: Wrapped, of: Omit<Partition, 'keyId'>, caller: Caller, derive: Derive) {
      const unwrap = () => calls.unwrap(wrapped, of, caller);
      const { keyId } = wrapped;
      return missing('unwrap', keyId, async () =>
        halves ? (await halves.load()).open({ ...of, keyId }, unwrap, derive) : derive(await unwrap()),
      );
    },
    async wrap(dek: Uint8Array, of: Partition, options?: Parameters<typeof wrap>[1]): Promise<Wrapped> {
      requireDek(dek);
      const { keyId, subject, user } = of;
      const context = contextOf(of.wrapContext);
      const input = { key_id: keyId, dek: toBase64(dek), context, subject, user };
      return wrappedOf(await erasures.ask(subject, () => wrap(input, options)));
    },
    async unwrap(wrapped: Wrapped, of: Omit<Partition, 'keyId'> & CallOptions, caller: Caller) {
      const { wrapContext, subject, signal } = of;
      const { user, signsIn } = caller;
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
        return read((await erasures.ask(subject, () => unwrap(input, { signal }))).dek, 32, 32);
      } catch (error) {
        return asDecryption(error as ServiceError);
      }
    },
    async hash(value: string, keyId: string, options?: CallOptions): Promise<string> {
      requireText(value);
      return (await hash({ key_id: keyId, value }, options)).hash;
    },
  };
  return calls;
}

// The exchange has checked the types of all members, and that the response is about the key of the request.
export function wrappedOf(output: Output<'POST /v1/keys/:key_id/wrap'>): Wrapped {
  const { key_id: keyId, key_version: keyVersion, wrapped_key } = output;
  if (keyVersion >>> 0 !== keyVersion) throw unreadable();
  return { keyId, keyVersion, wrappedKey: read(wrapped_key, 1, 2_048) };
}

function read(base64: string, least: number, most: number): Uint8Array {
  const bytes = readBase64(base64);
  if (!bytes || bytes.length < least || bytes.length > most) throw unreadable();
  return bytes;
}

export function asDecryption(error: ServiceError): never {
  if (error.code !== 'wrapped_key_unauthentic') throw error;
  // The service names one cause alone: that it has no secret for the subject.
  throw new DecryptionError(error.message.includes('this subject') ? error.message : undefined);
}
