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
import { createEnvelopeReader } from '@eaas/protocol/internal';
import { aborted } from './abortable.ts';
import {
  type As,
  type DecryptedForm,
  type DecryptItem,
  decryptItem,
  type DecryptOptions,
  decryptOptions,
} from './call-options.ts';
import { type Ciphertext, envelopeBytes } from './ciphertext.ts';
import { contextOf, type DataKeyCalls } from './data-key-calls.ts';
import { DataKeyCache } from './data-keys/cache.ts';
import { deriveDataKey, type DerivedDataKey, partitionName } from './data-keys/derive.ts';
import type { Lease } from './data-keys/lease.ts';
import type { Engines } from './engines.ts';
import { attempt, notPrimed } from './errors.ts';
import type { Emit } from './events.ts';
import type { Limits } from './options.ts';
import { requireOptions } from './require-options.ts';
import { once, settleMany, Waiting } from './settle-many.ts';

type Expected = DecryptOptions['keyId'];
type Options = DecryptOptions & As<DecryptedForm>;
type Decrypted = Uint8Array | string;

export function createDecrypter(
  calls: DataKeyCalls,
  engines: Engines,
  { decrypt: limits, patience }: Limits,
  emit: Emit,
) {
  const cache = new DataKeyCache(limits);
  const read = createEnvelopeReader();
  const syncForm = engines.sync === engines.values ? '' : 'sync';
  let last: { of?: Uint8Array; scope?: string | undefined; form?: string; name: string } = { name: '' };

  /** Parses a ciphertext. Throws DecryptionError if the ciphertext is under an unexpected key. */
  function parse(ciphertext: Ciphertext, usual: Expected, options: DecryptOptions): Envelope {
    const { keyId: expected = usual, anyKey } = options;
    const envelope = read(envelopeBytes(ciphertext));
    if (envelope.keyId !== expected) {
      requireExpectedKey(envelope.keyId, anyKey ? { anyKey } : { keyId: expected ?? [] });
    }
    return envelope;
  }

  function arriving(name: string, wrapped: Wrapped, options: DecryptOptions, withSync: boolean): Lease {
    const request = async (): Promise<DerivedDataKey> => {
      // Does not pass the caller's signal, because other calls might wait for the same data key.
      const dek = await calls.unwrap(wrapped, { wrapContext: options.wrapContext });
      const key = await deriveDataKey(engines, dek, wrapped, withSync);
      emit({ type: 'data_key.unwrapped', keyId: key.keyId, keyVersion: key.keyVersion });
      return key;
    };
    if (limits.maxEntries === 0) return cache.requestOnce(request);
    return cache.arriving(name) ?? cache.request(name, request);
  }

  /** Returns the cache name of a data key. Keeps the last name, because consecutive rows often share a data key. */
  function nameOf(wrapped: Wrapped, { scope, wrapContext }: DecryptOptions, form = ''): string {
    const { keyId, keyVersion, wrappedKey } = wrapped;
    if (last.of !== wrappedKey || last.scope !== scope || last.form !== form || wrapContext) {
      const partition = partitionName(keyId, { scope, wrapContext });
      const name = `${partition}/${keyVersion}${form}/${toBase64(wrappedKey)}`;
      if (wrapContext) return name;
      last = { of: wrappedKey, scope, form, name };
    }
    return last.name;
  }

  const use = <T>(lease: Lease, work: Waiting<T>['work'], { signal }: Options): Promise<T> =>
    lease.use(work, signal, patience);

  /**
   * Decrypts a ciphertext if its data key is in memory. Otherwise returns the work that waits for the data key.
   * `isOwn` is true if the context is a copy that the caller of the SDK cannot change.
   */
  function start(
    ciphertext: Ciphertext,
    usual: Expected,
    options: Options,
    context = options.context,
    isOwn = false,
  ): Decrypted | Promise<Decrypted> | Waiting<Decrypted> {
    const { as, signal } = options;
    requireForm(as);
    if (signal?.aborted) throw aborted();
    let envelope = parse(ciphertext, usual, options);
    const name = nameOf(envelope, options);
    const open = (key: DerivedDataKey): Decrypted | Promise<Decrypted> => {
      const plaintext = openUnder(key.values, envelope, context);
      if (as !== 'text') return plaintext;
      return plaintext instanceof Promise ? plaintext.then(textOf) : textOf(plaintext);
    };
    const ready = cache.find(name)?.key;
    if (ready) return open(ready);
    // Copies the bytes, because the caller can overwrite its arguments before the data key arrives.
    if (typeof ciphertext !== 'string') envelope = read(new Uint8Array(envelopeBytes(ciphertext)));
    if (!isOwn) context = contextOf(context);
    return new Waiting(arriving(name, envelope, options, false), open);
  }

  return {
    decrypt: (ciphertext: Ciphertext, usual: Expected, options: Options): Promise<Decrypted> =>
      attempt(() => {
        requireOptions(decryptOptions, options, 'decrypt');
        const started = start(ciphertext, usual, options);
        return started instanceof Waiting ? use(started.lease, started.work, options) : started;
      }),
    decryptMany(items: readonly DecryptItem[], usual: Expected, options: Options) {
      const checked = once(() => {
        requireOptions(decryptOptions, options, 'decryptMany');
        return { ...options, context: contextOf(options.context) };
      });
      const startItem = (item: DecryptItem) => {
        const own = checked();
        if (typeof item !== 'string' && !(item instanceof Uint8Array)) {
          requireOptions<object>(decryptItem, item, 'an item of decryptMany');
          if (item.context !== undefined) return start(item, usual, own, item.context);
        }
        return start(item, usual, own, own.context, true);
      };
      return settleMany(items, startItem, (lease, work) => use(lease, work, options));
    },
    /** Decrypts a ciphertext without waiting. Throws ClientError `not_primed` if the data key is not in memory. */
    decryptSync(ciphertext: Ciphertext, usual: Expected, options: Options): Decrypted {
      requireOptions(decryptOptions, options, 'decryptSync');
      requireForm(options.as);
      const envelope = parse(ciphertext, usual, options);
      const key = cache.find(nameOf(envelope, options, syncForm))?.key;
      if (!key?.sync) throw notPrimed("this ciphertext's data key is not in memory");
      const plaintext = openUnder(key.sync, envelope, options.context);
      return options.as === 'text' ? textOf(plaintext) : plaintext;
    },
    async prime(ciphertexts: Iterable<Ciphertext>, usual: Expected, options: DecryptOptions): Promise<void> {
      const { signal } = options;
      if (signal?.aborted) throw aborted();
      const wanted = new Map<string, Envelope>();
      for (const ciphertext of ciphertexts) {
        const envelope = parse(ciphertext, usual, options);
        wanted.set(nameOf(envelope, options, syncForm), envelope);
      }
      if (wanted.size > limits.maxEntries) {
        throw new InputError(
          `the ciphertexts need ${wanted.size} data keys, but the cache keeps at most ${limits.maxEntries}: raise \`cache.decrypt.maxEntries\``,
        );
      }
      const missing = Array.from(wanted).filter(([name]) => !cache.find(name));
      await Promise.all(
        missing.map(([name, envelope]) =>
          arriving(name, envelope, options, true).use(() => undefined, signal, patience),
        ),
      );
    },
    close: (): void => cache.close(),
  };
}

function requireForm(form: DecryptedForm | undefined): void {
  if (form === undefined || form === 'bytes' || form === 'text') return;
  throw new InputError("the option `as` must be 'bytes' or 'text'");
}

/** Decodes a plaintext as UTF-8. Throws DecryptionError for other bytes. */
function textOf(plaintext: Uint8Array): string {
  try {
    return fromUtf8(plaintext);
  } catch {
    throw new DecryptionError();
  }
}
