import { InputError, sealUnder } from '@eaas/protocol';
import type { EncryptOptions } from './call-options.ts';
import { type Bundle, bundleOf, plaintextBytes } from './ciphertext.ts';
import type { DataKeyCalls } from './data-key-calls.ts';
import { EncryptingKeys } from './encrypting-keys.ts';
import type { Engines } from './engines.ts';
import { notPrimed } from './errors.ts';
import type { Emit } from './events.ts';
import type { LiveKey } from './live-key.ts';
import type { Limits } from './options.ts';

/** The encrypting half of a client. The key to use is resolved by then. */
export class Sealing {
  readonly #keys: EncryptingKeys;
  readonly #oneEach: boolean;

  constructor(calls: DataKeyCalls, engines: Engines, limits: Limits, emit: Emit) {
    this.#keys = new EncryptingKeys(engines, limits, calls.wrap, emit);
    this.#oneEach = limits.messages === 1;
  }

  /** Seals a value, and makes of the envelope what is asked for. */
  async seal<T>(
    value: string | Uint8Array,
    keyId: string,
    { context, fresh, scope, wrapContext, signal }: EncryptOptions,
    finish: (key: LiveKey, envelope: Uint8Array) => T,
  ): Promise<T> {
    const plaintext = plaintextBytes(value);
    const of = { keyId, scope, wrapContext };
    const work = async (key: LiveKey): Promise<T> =>
      finish(key, await sealUnder(key.fields, plaintext, context));
    if (fresh || this.#oneEach) return this.#keys.useOnce(of, work);
    return this.#keys.use(of, plaintext.length, work, signal);
  }

  /** Seals a value without waiting. Throws EaasError `not_primed`. */
  sealSync(
    value: string | Uint8Array,
    keyId: string,
    { context, scope, wrapContext }: EncryptOptions,
  ): Bundle {
    const plaintext = plaintextBytes(value);
    const key = this.#keys.take({ keyId, scope, wrapContext }, plaintext.length, true);
    if (!key?.sync) throw notPrimed('no data key is ready to encrypt with');
    return bundleOf(key, sealUnder(key.sync, plaintext, context));
  }

  /** Makes a data key ready for `sealSync`. */
  async prime(keyId: string, { scope, wrapContext, signal }: EncryptOptions, keep: boolean): Promise<void> {
    if (this.#oneEach) throw new InputError('`cache.encrypt` keeps no data key that could be primed');
    await this.#keys.prime({ keyId, scope, wrapContext }, keep, signal);
  }

  close(): void {
    this.#keys.close();
  }
}
