import { type Context, type DataKey, type EngineMode, InputError, type Outcome } from '@eaas/protocol';
import { aborted } from './abortable.ts';
import { type EncryptOptions, requireKnown } from './call-options.ts';
import { type Bundle, requireValue, sealBundle } from './ciphertext.ts';
import { contextOf, type DataKeyCalls } from './data-key-calls.ts';
import { createEncryptingKeys } from './encrypting-keys.ts';
import type { Engines } from './engines.ts';
import { attempt, notPrimed } from './errors.ts';
import type { Emit } from './events.ts';
import type { LiveKey } from './live-key.ts';
import type { Limits } from './options.ts';

/** Seals a value under a data key, in the form that is asked for. */
type Form<T> = <Mode extends EngineMode>(
  key: LiveKey,
  dataKey: DataKey<Mode>,
  value: string | Uint8Array,
  context: Context | undefined,
) => Outcome<Mode, T>;

type KeyId = string | undefined;

/** The encrypting half of a client. */
export interface Sealing {
  seal<T>(value: string | Uint8Array, keyId: KeyId, options: EncryptOptions, form: Form<T>): Promise<T>;
  /** Seals a value without waiting. Throws EaasError `not_primed`. */
  sealSync(value: string | Uint8Array, keyId: KeyId, options: EncryptOptions): Bundle;
  /** Makes a data key ready for `sealSync`. */
  prime(keyId: KeyId, options: EncryptOptions, keep: boolean): Promise<void>;
  close(): void;
}

export function createSealing(calls: DataKeyCalls, engines: Engines, limits: Limits, emit: Emit): Sealing {
  const keys = createEncryptingKeys(engines, limits, calls.wrap, emit);
  const oneEach = limits.messages === 1;
  return {
    seal(value, given, options, form) {
      return attempt(() => {
        requireKnown(options);
        requireValue(value);
        let { context } = options;
        const { fresh, scope, wrapContext, signal } = options;
        if (signal?.aborted) throw aborted();
        const of = { keyId: requireKeyId(given), scope, wrapContext };
        const once = fresh || oneEach;
        const length = lengthOf(value);
        // At once: a moment later it may have been replaced and overwritten.
        const ready = !once && keys.take(of, length);
        if (ready) return form(ready, ready.fields, value, context);
        // Copies: the caller may write over what was given before the data key is there.
        if (typeof value !== 'string') value = new Uint8Array(value);
        context = contextOf(context);
        const work = (key: LiveKey) => form(key, key.fields, value, context);
        return once ? keys.useOnce(of, work, signal) : keys.use(of, length, work, signal);
      });
    },
    sealSync(value, given, options) {
      requireKnown(options);
      requireValue(value);
      const { context, fresh, scope, wrapContext } = options;
      const of = { keyId: requireKeyId(given), scope, wrapContext };
      const key = fresh ? undefined : keys.take(of, lengthOf(value), true);
      if (!key?.sync) throw notPrimed('no data key is ready to encrypt with');
      return sealBundle(key, key.sync, value, context);
    },
    async prime(given, { scope, wrapContext, signal }, keep) {
      if (oneEach) throw new InputError('`cache.encrypt` keeps no data key that could be primed');
      const of = { keyId: requireKeyId(given), scope, wrapContext: contextOf(wrapContext) };
      await keys.prime(of, keep, signal);
    },
    close: () => keys.close(),
  };
}

/** Throws InputError where neither the call nor the client names a key. */
export function requireKeyId(keyId: KeyId): string {
  if (keyId === undefined) throw new InputError('name the key to use: `keyId`, here or for the client');
  return keyId;
}

/** In bytes; of text, before it is spelled in any, as many as they can be. */
function lengthOf(value: string | Uint8Array): number {
  return typeof value === 'string' ? 3 * value.length : value.length;
}
