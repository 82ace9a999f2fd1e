import {
  type Context,
  DecryptionError,
  type ExpectedKey,
  FormatError,
  fromUtf8,
  open,
  parseEnvelope,
  seal,
  toUtf8,
  type Unwrap,
  type Wrap,
} from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { EaasError } from './errors.ts';
import { type Call, createTransport, type TransportOptions } from './transport.ts';

export type EaasClientOptions = TransportOptions;

/** What `encrypt` answers. `ciphertext` alone is enough to store; the rest are copies of its parts. */
export interface Bundle {
  readonly ciphertext: string;
  readonly wrapped_key: string;
  readonly iv: string;
  readonly key_id: string;
  readonly key_version: number;
}

export interface EncryptOptions {
  readonly keyId: string;
  /** Authenticated with the value and needed to decrypt it, but not hidden. */
  readonly context?: Context | undefined;
}

export type DecryptOptions = ExpectedKey & { readonly context?: Context | undefined };

/**
 * Encrypts and decrypts here, in this process: the service wraps and unwraps the data keys, each under the key that is
 * named, and never sees a plaintext. Every value has a data key of its own.
 */
export class EaasClient {
  readonly #call: Call;

  constructor(options: EaasClientOptions) {
    this.#call = createTransport(options);
  }

  /** Encrypts text or bytes. Throws EaasError when the service does not wrap the data key. */
  async encrypt(value: string | Uint8Array, { keyId, context }: EncryptOptions): Promise<Bundle> {
    const wrap: Wrap = async (dek) => {
      const wrapped = await this.#call('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek: toBase64(dek) });
      return {
        keyId: wrapped.key_id,
        keyVersion: wrapped.key_version,
        wrappedKey: fromBase64(wrapped.wrapped_key),
      };
    };
    const envelope = await seal(typeof value === 'string' ? toUtf8(value) : value, wrap, { context });
    const { wrappedKey, iv, keyId: key_id, keyVersion: key_version } = parseEnvelope(envelope);
    return {
      ciphertext: toBase64(envelope),
      wrapped_key: toBase64(wrappedKey),
      iv: toBase64(iv),
      key_id,
      key_version,
    };
  }

  /**
   * Decrypts what either mode encrypted. Throws FormatError for what is no ciphertext, DecryptionError for one that
   * does not open, and EaasError when the service does not answer.
   */
  async decrypt(bundle: Bundle | string, options: DecryptOptions): Promise<Uint8Array> {
    const ciphertext = typeof bundle === 'string' ? bundle : bundle.ciphertext;
    const unwrap: Unwrap = async ({ keyId, wrappedKey }) => {
      const wrapped_key = toBase64(wrappedKey);
      try {
        const { dek } = await this.#call('POST /v1/keys/:key_id/unwrap', { key_id: keyId, wrapped_key });
        return fromBase64(dek);
      } catch (error) {
        const forged = error instanceof EaasError && error.code === 'wrapped_key_unauthentic';
        throw forged ? new DecryptionError() : error;
      }
    };
    return open(decode(ciphertext), unwrap, options);
  }

  /** As decrypt, for a value that was text. */
  async decryptText(bundle: Bundle | string, options: DecryptOptions): Promise<string> {
    return fromUtf8(await this.decrypt(bundle, options));
  }

  /**
   * A fingerprint of the value, the same each time, to search for. The service sees the value: give it only the field
   * that you search, and nothing that could be guessed (a date of birth, a postal code).
   */
  async hash(value: string, { keyId }: { readonly keyId: string }): Promise<string> {
    return (await this.#call('POST /v1/hash', { key_id: keyId, value })).hash;
  }
}

function decode(ciphertext: string): Uint8Array {
  try {
    return fromBase64(ciphertext);
  } catch {
    throw new FormatError('not an envelope: the ciphertext is not canonical base64');
  }
}
