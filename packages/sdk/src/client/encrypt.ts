// Checks the values and options of a call, and encrypts each value when its data key is there.
import { type Context, InputError, isBytes, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import { type DataKeyCalls, type SubjectOption, wrapOptions, type WrapOptions } from '../data-keys/calls.ts';
import type { DerivedDataKey, Partition } from '../data-keys/derive.ts';
import { createEncryptingKeys } from '../data-keys/encrypting.ts';
import type { Engines } from '../engines/engines.ts';
import { aborted, promiseOf, notPrimed } from '../errors.ts';
import type { Limits } from '../data-keys/limits.ts';
import {
  contextOf,
  copyContexts,
  type EncryptedForm,
  type EncryptedValue,
  requireValue,
  type Seal,
  sealAs,
  sealedForm,
  sealing,
} from '../data-keys/ciphertext.ts';
import type { Emit } from '../events.ts';
import { type Caller, requireCall, requireKeyId, somebody } from '../caller.ts';
import { settleMany, settleOne, Waiting } from './settle-many.ts';

/** Options of `encrypt`. */
export interface EncryptOptions<Form extends EncryptedForm = EncryptedForm> extends WrapOptions {
  /** The form of the result: the envelope as `text` (the default) or `bytes`, or `bundle`, an object with five members. */
  readonly as?: Form | undefined;
  /** Names a group of values, for example by a customer's id. Values of different scopes never share a data key. */
  readonly scope?: string | undefined;
  /**
   * Names and values that are authenticated with the encrypted value. Decryption needs the same context. Do not put
   * secrets into a context.
   */
  readonly context?: Context | undefined;
  /** If true, the value is encrypted under a new data key that no other value uses. */
  readonly fresh?: boolean | undefined;
}

/** A value for `encryptMany`. The `context` and the `subject` of an item replace those of the call. */
export type EncryptItem =
  | string
  | Uint8Array
  | ({ readonly value: string | Uint8Array; readonly context?: Context | undefined } & SubjectOption);

const encryptOptions: OptionRules<EncryptOptions> = {
  ...wrapOptions,
  scope: 'text',
  as: sealedForm,
  context: 'object',
  fresh: 'flag',
};
const encryptItem: OptionRules<Exclude<EncryptItem, string | Uint8Array>> = {
  value: 'anything',
  context: 'object',
  subject: somebody,
};

export function createEncrypter(calls: DataKeyCalls, engines: Engines, limits: Limits, emit: Emit) {
  const keys = createEncryptingKeys(engines, limits, calls, emit);
  const alwaysFresh = limits.encrypt.maxMessages === 1;
  let warn = (): void => {
    warn = () => undefined;
    emit({ type: 'context.missing' });
  };
  function start(
    seal: Seal,
    value: string | Uint8Array,
    caller: Caller,
    options: EncryptOptions,
    of: Partition,
    context = options.context,
  ): EncryptedValue | Promise<EncryptedValue> | Waiting<EncryptedValue> {
    requireValue(value, options.as);
    if (options.signal?.aborted) throw aborted();
    if (!context) warn();
    const isFresh = options.fresh || alwaysFresh;
    const length = lengthOf(value);
    const ready = !isFresh && keys.take(of, length);
    if (ready) return seal(ready, ready.values, value, context);
    requireKeyId(of.keyId);
    const run = sealing(seal, value, context);
    const lease = isFresh ? keys.requestOnce(of) : keys.reserve(of, length);
    if (!lease.key) lease.callers.add(caller);
    return new Waiting(lease, run);
  }

  return {
    encrypt: (value: string | Uint8Array, caller: Caller, options: EncryptOptions): Promise<EncryptedValue> =>
      promiseOf(() => {
        const seal = sealFor('encrypt', options, caller);
        const started = start(seal, value, { ...caller }, options, partitionOf(caller, options));
        return settleOne(started, options.signal, limits.patience);
      }),
    encryptMany: async (items: readonly EncryptItem[], { ...caller }: Caller, options: EncryptOptions) => {
      const seal = sealFor('encryptMany', options, caller);
      const own = copyContexts(options);
      const common = partitionOf(caller, own);
      let ofPerson = common;
      // A data key that is in memory is looked up once for a run of values, and encrypts them up to `endOfRun`.
      let dataKey: DerivedDataKey | undefined;
      let endOfRun = 0;
      const beginRun = (index: number): void => {
        const { end, bytes } = runFrom(items, index);
        const isShared = !own.fresh && !alwaysFresh && !own.signal?.aborted;
        dataKey = isShared ? keys.take(common, bytes, false, end - index) : undefined;
        endOfRun = end;
      };
      const startItem = (item: EncryptItem, index: number) => {
        if (isValue(item)) {
          if (index >= endOfRun) beginRun(index);
          if (!dataKey) return start(seal, item, caller, own, common);
          requireValue(item, own.as);
          if (!own.context) warn();
          return seal(dataKey, dataKey.values, item, own.context);
        }
        endOfRun = 0;
        requireOptions(encryptItem, item, 'an item of encryptMany');
        const { value, context, subject = common.subject } = item;
        if (subject !== ofPerson.subject) ofPerson = { ...common, subject };
        return start(seal, value, caller, own, ofPerson, context);
      };
      return settleMany(items, startItem, options.signal, limits.patience);
    },
    encryptSync(value: string | Uint8Array, caller: Caller, options: EncryptOptions): EncryptedValue {
      const seal = sealFor('encryptSync', options, caller);
      requireValue(value, options.as);
      const { context, fresh } = options;
      if (!context) warn();
      const of = partitionOf(caller, options);
      const key = fresh ? undefined : keys.take(of, lengthOf(value), true);
      if (key?.sync) return seal(key, key.sync, value, context);
      calls.erasures.refuse(of.subject);
      requireKeyId(of.keyId);
      if (fresh) throw notPrimed('`encryptSync` cannot request a fresh data key', 'use `encrypt`');
      throw notPrimed('no data key is in memory to encrypt with');
    },
    async prime(caller: Caller, options: EncryptOptions, keep: boolean): Promise<void> {
      if (alwaysFresh) {
        throw new InputError(
          '`prime` needs a cache that reuses data keys: set `cache.encrypt.maxMessages` to 2 or more',
        );
      }
      requireKeyId(options.keyId);
      const of = partitionOf(caller, { ...options, wrapContext: contextOf(options.wrapContext) });
      await keys.prime(of, keep, options.signal);
    },
    drop: keys.drop,
    close: (): void => keys.close(),
  };
}

/** Checks what every form of the call checks, and returns how values become results. */
function sealFor(call: string, options: EncryptOptions, caller: Caller): Seal {
  requireCall(encryptOptions, options, call, caller);
  return sealAs(options.as);
}

function partitionOf(
  { keyId: usual, user }: Caller,
  { keyId = usual, subject, scope, wrapContext }: EncryptOptions,
): Partition {
  return { keyId: keyId as string, subject, scope, wrapContext, user };
}

const longestRun = 100;

/** Finds where a run of values that have no options of their own ends, and how many bytes they take at most. */
function runFrom(items: readonly EncryptItem[], start: number): { end: number; bytes: number } {
  let end = start;
  let bytes = 0;
  while (end < start + longestRun) {
    const item = items[end];
    if (!isValue(item)) break;
    bytes += lengthOf(item);
    end++;
  }
  return { end, bytes };
}

const isValue = (item: unknown): item is string | Uint8Array => typeof item === 'string' || isBytes(item);

/** The most bytes that a value takes. */
const lengthOf = (value: string | Uint8Array): number => (typeof value === 'string' ? 3 : 1) * value.length;
