import { InputError } from '@eaas/protocol';
import { isBytes } from '@eaas/protocol/internal';
import { requireOptions } from '@eaas/protocol/internal-options';
import { aborted } from '../transport/abortable.ts';
import {
  type As,
  type EncryptedForm,
  type EncryptItem,
  encryptItem,
  type EncryptOptions,
  encryptOptions,
} from '../options/call-options.ts';
import {
  contextOf,
  copyContexts,
  type EncryptedValue,
  requireValue,
  type Seal,
  sealAs,
  sealing,
} from './ciphertext.ts';
import type { DataKeyCalls } from '../transport/data-key-calls.ts';
import { createEncryptingKeys } from '../data-keys/encrypting.ts';
import type { Engines } from '../engines/engines.ts';
import { attempt, notPrimed } from '../errors.ts';
import type { Emit } from './events.ts';
import { requireKeyId } from '../options/key-id.ts';
import { type Caller, requireActor } from '../options/people.ts';
import type { Limits } from '../options/client-options.ts';
import { settleMany, Waiting } from './settle-many.ts';

type Options = EncryptOptions & As<EncryptedForm>;

export function createEncrypter(calls: DataKeyCalls, engines: Engines, limits: Limits, emit: Emit) {
  const keys = createEncryptingKeys(engines, limits, calls, emit);
  const alwaysFresh = limits.encrypt.maxMessages === 1;
  function start(
    seal: Seal,
    value: string | Uint8Array,
    caller: Caller,
    options: EncryptOptions,
    context = options.context,
    subject = options.subject,
  ): EncryptedValue | Promise<EncryptedValue> | Waiting<EncryptedValue> {
    requireValue(value);
    const { keyId = caller.keyId, fresh, scope, wrapContext, signal } = options;
    if (signal?.aborted) throw aborted();
    const of = { keyId: keyId as string, subject, scope, wrapContext, user: caller.user };
    const isFresh = fresh || alwaysFresh;
    const length = lengthOf(value);
    const ready = !isFresh && keys.take(of, length);
    if (ready) return seal(ready, ready.values, value, context);
    requireKeyId(keyId);
    const run = sealing(seal, value, context);
    return new Waiting(isFresh ? keys.requestOnce(of) : keys.reserve(of, length), run);
  }

  return {
    encrypt: (value: string | Uint8Array, caller: Caller, options: Options): Promise<EncryptedValue> =>
      attempt(() => {
        requireOptions(encryptOptions, options, 'encrypt');
        requireActor(caller);
        const started = start(sealAs(options.as), value, caller, options);
        if (!(started instanceof Waiting)) return started;
        return keys.use(started.lease, started.run, options.signal);
      }),
    async encryptMany(items: readonly EncryptItem[], caller: Caller, options: Options) {
      requireOptions(encryptOptions, options, 'encryptMany');
      requireActor(caller);
      const seal = sealAs(options.as);
      const own = copyContexts(options);
      const startItem = (item: EncryptItem) => {
        if (typeof item === 'string' || isBytes(item)) return start(seal, item, caller, own);
        requireOptions(encryptItem, item, 'an item of encryptMany');
        return start(seal, item.value, caller, own, item.context, item.subject);
      };
      return settleMany(items, startItem, options, limits.patience);
    },
    encryptSync(value: string | Uint8Array, caller: Caller, options: Options): EncryptedValue {
      requireOptions(encryptOptions, options, 'encryptSync');
      requireActor(caller);
      requireValue(value);
      const { keyId = caller.keyId, context, fresh, subject, scope, wrapContext } = options;
      const of = { keyId: keyId as string, subject, scope, wrapContext, user: caller.user };
      const key = fresh ? undefined : keys.take(of, lengthOf(value), true);
      if (key?.sync) return sealAs(options.as)(key, key.sync, value, context);
      requireKeyId(keyId);
      if (fresh) throw notPrimed('`encryptSync` cannot request a fresh data key', 'use `encrypt`');
      throw notPrimed('no data key is in memory to encrypt with');
    },
    async prime(
      { keyId, user }: Caller,
      options: Omit<EncryptOptions, 'keyId'>,
      keep: boolean,
    ): Promise<void> {
      const { subject, scope, wrapContext, signal } = options;
      if (signal?.aborted) throw aborted();
      if (alwaysFresh)
        throw new InputError(
          '`prime` needs a cache that reuses data keys: set `cache.encrypt.maxMessages` to 2 or more',
        );
      const of = { keyId: requireKeyId(keyId), subject, scope, wrapContext: contextOf(wrapContext), user };
      await keys.prime(of, keep, signal);
    },
    drop: (subject: string | undefined): void => keys.drop(subject),
    close: (): void => keys.close(),
  };
}

function lengthOf(value: string | Uint8Array): number {
  return typeof value === 'string' ? 3 * value.length : value.length;
}
