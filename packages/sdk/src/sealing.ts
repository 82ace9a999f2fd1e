import { InputError, sealUnder } from '@eaas/protocol';
import { abortable } from './abortable.ts';
import type { EncryptOptions } from './call-options.ts';
import { type Bundle, bundleOf, plaintextBytes } from './ciphertext.ts';
import { contextOf, type DataKeyCalls } from './data-key-calls.ts';
import { createEncryptingKeys } from './encrypting-keys.ts';
import type { Engines } from './engines.ts';
import { notPrimed } from './errors.ts';
import type { Emit } from './events.ts';
import type { LiveKey } from './live-key.ts';
import type { Limits } from './options.ts';

/** The encrypting half of a client. The key to use is resolved by then. */
export interface Sealing {
  /** Seals a value, and makes of the envelope what is asked for. */
  seal<T>(
    value: string | Uint8Array,
    keyId: string,
    options: EncryptOptions,
    finish: (key: LiveKey, envelope: Uint8Array) => T,
  ): Promise<T>;
  /** Seals a value without waiting. Throws EaasError `not_primed`. */
  sealSync(value: string | Uint8Array, keyId: string, options: EncryptOptions): Bundle;
  /** Makes a data key ready for `sealSync`. */
  prime(keyId: string, options: EncryptOptions, keep: boolean): Promise<void>;
  close(): void;
}

export function createSealing(calls: DataKeyCalls, engines: Engines, limits: Limits, emit: Emit): Sealing {
  const keys = createEncryptingKeys(engines, limits, calls.wrap, emit);
  const oneEach = limits.messages === 1;
  return {
    async seal(value, keyId, { context, fresh, scope, wrapContext, signal }, finish) {
      let plaintext = plaintextBytes(value);
      const of = { keyId, scope, wrapContext };
      const work = async (key: LiveKey) => finish(key, await sealUnder(key.fields, plaintext, context));
      const once = fresh || oneEach;
      // At once: a moment later it may have been replaced and overwritten.
      const ready = !once && keys.take(of, plaintext.length);
      if (ready) return abortable(work(ready), signal);
      // Copies: the caller may write over what was given before the data key is there.
      plaintext = new Uint8Array(plaintext);
      context = contextOf(context);
      return once ? keys.useOnce(of, work, signal) : keys.use(of, plaintext.length, work, signal);
    },
    sealSync(value, keyId, { context, fresh, scope, wrapContext }) {
      const plaintext = plaintextBytes(value);
      const key = fresh ? undefined : keys.take({ keyId, scope, wrapContext }, plaintext.length, true);
      if (!key?.sync) throw notPrimed('no data key is ready to encrypt with');
      return bundleOf(key, sealUnder(key.sync, plaintext, context));
    },
    async prime(keyId, { scope, wrapContext, signal }, keep) {
      if (oneEach) throw new InputError('`cache.encrypt` keeps no data key that could be primed');
      await keys.prime({ keyId, scope, wrapContext: contextOf(wrapContext) }, keep, signal);
    },
    close: () => keys.close(),
  };
}
