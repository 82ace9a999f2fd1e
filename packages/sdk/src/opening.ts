import {
  DecryptionError,
  type Envelope,
  fromUtf8,
  InputError,
  openUnder,
  requireExpectedKey,
  type Wrapped,
} from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { aborted } from './abortable.ts';
import { createRead } from '#engines';
import { type DecryptOptions, requireKnown } from './call-options.ts';
import { type Ciphertext, envelopeBytes } from './ciphertext.ts';
import { contextOf, type DataKeyCalls } from './data-key-calls.ts';
import type { Engines } from './engines.ts';
import { attempt, notPrimed } from './errors.ts';
import type { Emit } from './events.ts';
import { bringToLife, type LiveKey, nameOf } from './live-key.ts';
import type { Limits } from './options.ts';
import { createUnwrappedKeys } from './unwrapped-keys.ts';

type Expected = DecryptOptions['keyId'];

/** The decrypting half of a client. The keys that are expected are resolved by then. */
export interface Opening {
  /** Opens a ciphertext; fetches its data key where that is not in memory. */
  open(ciphertext: Ciphertext, expected: Expected, options: DecryptOptions): Promise<Uint8Array>;
  /** Opens a ciphertext without waiting. Throws EaasError `not_primed`. */
  openSync(ciphertext: Ciphertext, expected: Expected, options: DecryptOptions): Uint8Array;
  /** Fetches the data keys that `openSync` is going to need. */
  prime(ciphertexts: Iterable<Ciphertext>, options: DecryptOptions): Promise<void>;
  close(): void;
}

export function createOpening(calls: DataKeyCalls, engines: Engines, limits: Limits, emit: Emit): Opening {
  const keys = createUnwrappedKeys(limits);
  const syncForm = engines.sync === engines.fields ? '' : 'sync';

  const read = createRead();
  let last: { of?: Uint8Array; scope?: string | undefined; form?: string; name: string } = { name: '' };

  /** The envelope, of a key that is expected. */
  function parse(ciphertext: Ciphertext, expected: Expected, options: DecryptOptions): Envelope {
    requireKnown(options);
    const { anyKey } = options;
    const envelope = read(envelopeBytes(ciphertext));
    if (envelope.keyId !== expected) {
      requireExpectedKey(envelope.keyId, anyKey ? { anyKey } : { keyId: expected ?? [] });
    }
    return envelope;
  }

  async function fetch(wrapped: Wrapped, { wrapContext }: DecryptOptions, sync: boolean): Promise<LiveKey> {
    // Without the caller's signal: others may be waiting for the same.
    const key = await bringToLife(engines, await calls.unwrap(wrapped, { wrapContext }), wrapped, sync);
    emit({ type: 'data_key.unwrapped', keyId: key.keyId, keyVersion: key.keyVersion });
    return key;
  }

  /** The name of a data key in memory. The last one's is kept: rows follow rows under the same. */
  const nameFor = (wrapped: Wrapped, { scope, wrapContext }: DecryptOptions, form = ''): string => {
    const { keyId, keyVersion, wrappedKey } = wrapped;
    if (last.of !== wrappedKey || last.scope !== scope || last.form !== form || wrapContext) {
      const name = `${nameOf(keyId, { scope, wrapContext })}/${keyVersion}${form}/${toBase64(wrappedKey)}`;
      if (wrapContext) return name;
      last = { of: wrappedKey, scope, form, name };
    }
    return last.name;
  };

  return {
    open(ciphertext, expected, options) {
      return attempt(() => {
        let { context } = options;
        const { signal } = options;
        if (signal?.aborted) throw aborted();
        let envelope = parse(ciphertext, expected, options);
        const name = nameFor(envelope, options);
        const ready = keys.find(name);
        if (ready) return openUnder(ready.fields, envelope, context);
        // Copies: the caller may write over what was given before the data key is there.
        envelope = read(new Uint8Array(envelopeBytes(ciphertext)));
        context = contextOf(context);
        const open = (key: LiveKey) => openUnder(key.fields, envelope, context);
        return keys.use(name, () => fetch(envelope, options, false), open, signal);
      });
    },
    openSync(ciphertext, expected, options) {
      const envelope = parse(ciphertext, expected, options);
      const key = keys.find(nameFor(envelope, options, syncForm));
      if (!key?.sync) throw notPrimed("this ciphertext's data key is not in memory");
      return openUnder(key.sync, envelope, options.context);
    },
    async prime(ciphertexts, options) {
      const wanted = new Map<string, Envelope>();
      for (const ciphertext of ciphertexts) {
        const envelope = read(envelopeBytes(ciphertext));
        wanted.set(nameFor(envelope, options, syncForm), envelope);
      }
      if (wanted.size > limits.entries) {
        throw new InputError(`\`cache.decrypt\` keeps fewer than these ${wanted.size} data keys`);
      }
      const nothing = (): void => undefined;
      const primeOne = async ([name, envelope]: [string, Envelope]) =>
        keys.find(name) ?? keys.use(name, () => fetch(envelope, options, true), nothing, options.signal);
      await Promise.all(Array.from(wanted, primeOne));
    },
    close: () => keys.close(),
  };
}

/** The text that a value is. */
export function textOf(plaintext: Uint8Array): string {
  try {
    return fromUtf8(plaintext);
  } catch {
    throw new DecryptionError();
  }
}
