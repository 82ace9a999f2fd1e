import { InputError } from '@eaas/protocol';
import { isBytes } from '@eaas/protocol/internal';
import { aborted } from './abortable.ts';
import {
  type As,
  type EncryptedForm,
  type EncryptItem,
  encryptItem,
  type EncryptOptions,
  encryptOptions,
} from './call-options.ts';
import { contextOf, type Encrypted, requireValue, sealAs } from './ciphertext.ts';
import type { DataKeyCalls } from './data-key-calls.ts';
import type { DerivedDataKey } from './data-keys/derive.ts';
import { createEncryptingKeys } from './data-keys/encrypting.ts';
import type { Engines } from './engines.ts';
import { attempt, notPrimed } from './errors.ts';
import type { Emit } from './events.ts';
import { requireKeyId } from './key-id.ts';
import type { Limits } from './options.ts';
import { requireOptions } from './require-options.ts';
import { once, settleMany, Waiting } from './settle-many.ts';

type Options = EncryptOptions & As<EncryptedForm>;
type KeyId = string | undefined;

export function createEncrypter(calls: DataKeyCalls, engines: Engines, limits: Limits, emit: Emit) {
  const keys = createEncryptingKeys(engines, limits, calls, emit);
  const alwaysFresh = limits.encrypt.maxMessages === 1;
  function start(
    value: string | Uint8Array,
    usual: KeyId,
    options: Options,
    context = options.context,
  ): Encrypted | Promise<Encrypted> | Waiting<Encrypted> {
    requireValue(value);
    const form = sealAs(options.as);
    const { keyId = usual, fresh, scope, wrapContext, signal } = options;
    if (signal?.aborted) throw aborted();
    const of = { keyId: keyId as string, scope, wrapContext };
    const isFresh = fresh || alwaysFresh;
    const length = lengthOf(value);
    const ready = !isFresh && keys.take(of, length);
    if (ready) return form(ready, ready.values, value, context);
    requireKeyId(keyId);
    // Copies the arguments, because the caller can overwrite them before the data key arrives.
    if (typeof value !== 'string') value = new Uint8Array(value);
    context = contextOf(context);
    const work = (key: DerivedDataKey) => form(key, key.values, value, context);
    return new Waiting(isFresh ? keys.requestOnce(of) : keys.reserve(of, length), work, undefined);
  }

  return {
    encrypt: (value: string | Uint8Array, usual: KeyId, options: Options): Promise<Encrypted> =>
      attempt(() => {
        requireOptions(encryptOptions, options, 'encrypt');
        const started = start(value, usual, options);
        if (!(started instanceof Waiting)) return started;
        return keys.use(started.lease, (key) => started.run(key), options.signal);
      }),
    encryptMany(items: readonly EncryptItem[], usual: KeyId, options: Options) {
      const checked = once(() => {
        requireOptions(encryptOptions, options, 'encryptMany');
        return { ...options, context: contextOf(options.context) };
      });
      const startItem = (item: EncryptItem) => {
        const own = checked();
        if (typeof item === 'string' || isBytes(item)) return start(item, usual, own);
        requireOptions(encryptItem, item, 'an item of encryptMany');
        return start(item.value, usual, own, item.context);
      };
      return settleMany(items, startItem, options, limits.patience);
    },
    encryptSync(value: string | Uint8Array, usual: KeyId, options: Options): Encrypted {
      requireOptions(encryptOptions, options, 'encryptSync');
      requireValue(value);
      const { keyId = usual, context, fresh, scope, wrapContext } = options;
      const of = { keyId: keyId as string, scope, wrapContext };
      const key = fresh ? undefined : keys.take(of, lengthOf(value), true);
      if (key?.sync) return sealAs(options.as)(key, key.sync, value, context);
      requireKeyId(keyId);
      if (fresh) throw notPrimed('`encryptSync` cannot request a fresh data key', 'use `encrypt`');
      throw notPrimed('no data key is in memory to encrypt with');
    },
    async prime(usual: KeyId, options: Omit<EncryptOptions, 'keyId'>, keep: boolean): Promise<void> {
      const { scope, wrapContext, signal } = options;
      if (signal?.aborted) throw aborted();
      if (alwaysFresh)
        throw new InputError(
          '`prime` needs a cache that reuses data keys: set `cache.encrypt.maxMessages` to 2 or more',
        );
      const of = { keyId: requireKeyId(usual), scope, wrapContext: contextOf(wrapContext) };
      await keys.prime(of, keep, signal);
    },
    close: (): void => keys.close(),
  };
}

function lengthOf(value: string | Uint8Array): number {
  return typeof value === 'string' ? 3 * value.length : value.length;
}
