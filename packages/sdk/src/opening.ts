import {
  DecryptionError,
  type Envelope,
  fromUtf8,
  InputError,
  openUnder,
  parseEnvelope,
  requireExpectedKey,
  type Wrapped,
} from '@eaas/protocol';
import type { DecryptOptions } from './call-options.ts';
import { type Ciphertext, envelopeBytes } from './ciphertext.ts';
import type { DataKeyCalls } from './data-key-calls.ts';
import type { Engines } from './engines.ts';
import { notPrimed } from './errors.ts';
import type { Emit } from './events.ts';
import { bringToLife, type LiveKey, nameOf } from './live-key.ts';
import type { Limits } from './options.ts';
import { UnwrappedKeys } from './unwrapped-keys.ts';

/** The decrypting half of a client. The keys that are expected are resolved by then. */
export class Opening {
  readonly #calls: DataKeyCalls;
  readonly #engines: Engines;
  readonly #limits: Limits;
  readonly #emit: Emit;
  readonly #keys: UnwrappedKeys;

  constructor(calls: DataKeyCalls, engines: Engines, limits: Limits, emit: Emit) {
    this.#calls = calls;
    this.#engines = engines;
    this.#limits = limits;
    this.#emit = emit;
    this.#keys = new UnwrappedKeys(limits);
  }

  /** Opens a ciphertext; fetches its data key where that is not in memory. */
  async open(
    ciphertext: Ciphertext,
    expected: DecryptOptions['keyId'],
    options: DecryptOptions,
  ): Promise<Uint8Array> {
    const envelope = parse(ciphertext, expected, options);
    const name = this.#nameOf(envelope, options);
    const open = (key: LiveKey) => openUnder(key.fields, envelope, options.context);
    const ready = this.#keys.find(name);
    if (ready) return open(ready);
    return this.#keys.use(name, () => this.#fetch(envelope, options), open, options.signal);
  }

  /** Opens a ciphertext without waiting. Throws EaasError `not_primed`. */
  openSync(ciphertext: Ciphertext, expected: DecryptOptions['keyId'], options: DecryptOptions): Uint8Array {
    const envelope = parse(ciphertext, expected, options);
    const key = this.#keys.find(this.#nameOf(envelope, options, true));
    if (!key?.sync) throw notPrimed("this ciphertext's data key is not in memory");
    return openUnder(key.sync, envelope, options.context);
  }

  /** Fetches the data keys that `openSync` is going to need. */
  async prime(ciphertexts: Iterable<Ciphertext>, options: DecryptOptions): Promise<void> {
    const wanted = new Map<string, Envelope>();
    for (const ciphertext of ciphertexts) {
      const envelope = parseEnvelope(envelopeBytes(ciphertext));
      wanted.set(this.#nameOf(envelope, options, true), envelope);
    }
    if (wanted.size > this.#limits.entries) {
      throw new InputError(
        `\`cache.decrypt\` keeps fewer than the ${wanted.size} data keys of these ciphertexts`,
      );
    }
    const fetch = (name: string, envelope: Envelope) =>
      this.#keys.use(
        name,
        () => this.#fetch(envelope, options, true),
        () => undefined,
        options.signal,
      );
    await Promise.all(
      Array.from(wanted, ([name, envelope]) => this.#keys.find(name) ?? fetch(name, envelope)),
    );
  }

  close(): void {
    this.#keys.close();
  }

  async #fetch(wrapped: Wrapped, { wrapContext }: DecryptOptions, sync = false): Promise<LiveKey> {
    // Without the caller's signal: others may be waiting for the same.
    const dek = await this.#calls.unwrap(wrapped, { wrapContext });
    const key = await bringToLife(this.#engines, dek, wrapped, sync);
    this.#emit({ type: 'data_key.unwrapped', keyId: key.keyId, keyVersion: key.keyVersion });
    return key;
  }

  /** The name of a data key in memory. */
  #nameOf(
    { keyId, keyVersion, wrappedKey }: Wrapped,
    { scope, wrapContext }: DecryptOptions,
    sync = false,
  ): string {
    const form = sync && this.#engines.sync !== this.#engines.fields ? 'sync' : '';
    return `${nameOf({ keyId, scope, wrapContext })}/${keyVersion}${form}/${String.fromCharCode(...wrappedKey)}`;
  }
}

/** The envelope, of a key that is expected. */
function parse(
  ciphertext: Ciphertext,
  expected: DecryptOptions['keyId'],
  { anyKey }: DecryptOptions,
): Envelope {
  const envelope = parseEnvelope(envelopeBytes(ciphertext));
  if (envelope.keyId !== expected) {
    requireExpectedKey(envelope.keyId, anyKey ? { anyKey } : { keyId: expected ?? [] });
  }
  return envelope;
}

/** The text that a value is. */
export function textOf(plaintext: Uint8Array): string {
  try {
    return fromUtf8(plaintext);
  } catch {
    throw new DecryptionError();
  }
}
