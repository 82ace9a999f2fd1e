import {
  type Context,
  type DataKey,
  type EngineMode,
  FormatError,
  InputError,
  type Outcome,
  sealUnder,
  toUtf8,
} from '@eaas/protocol';
import { toBase64, viewBase64 } from '@eaas/protocol/base64';
import type { LiveKey } from './live-key.ts';

/** What `encrypt` answers. `ciphertext` alone is enough to store; the rest are copies of its parts. */
export interface Bundle {
  readonly ciphertext: string;
  readonly wrapped_key: string;
  readonly iv: string;
  readonly key_id: string;
  readonly key_version: number;
}

/** What can be decrypted: the `ciphertext` of a bundle, the bundle itself, or the envelope's bytes. */
export type Ciphertext = string | Uint8Array | { readonly ciphertext: string | Uint8Array };

/** The bytes of a ciphertext. Throws FormatError when it is none. */
export function envelopeBytes(given: Ciphertext): Uint8Array {
  const ciphertext = (given as { readonly ciphertext?: string | Uint8Array } | null)?.ciphertext ?? given;
  if (ciphertext instanceof Uint8Array) return ciphertext;
  if (typeof ciphertext !== 'string') throw new InputError('a ciphertext is text, bytes or a bundle');
  const bytes = viewBase64(ciphertext);
  if (!bytes) throw new FormatError('not an envelope: the ciphertext is not canonical base64');
  return bytes;
}

/** Throws InputError for what is neither bytes nor text without lone surrogates. */
export function requireValue(value: string | Uint8Array): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new InputError('the value has a lone surrogate');
  } else if (!(value instanceof Uint8Array)) throw new InputError('a value is a string or a Uint8Array');
}

/** Seals a value under a data key: the envelope. */
export function sealBytes<Mode extends EngineMode>(
  _: LiveKey,
  dataKey: DataKey<Mode>,
  value: string | Uint8Array,
  context: Context | undefined,
): Outcome<Mode, Uint8Array> {
  return sealUnder(dataKey, typeof value === 'string' ? toUtf8(value) : value, context);
}

/** Seals a value under a data key: the bundle. */
export function sealBundle<Mode extends EngineMode>(
  key: LiveKey,
  dataKey: DataKey<Mode>,
  value: string | Uint8Array,
  context: Context | undefined,
): Outcome<Mode, Bundle> {
  const { header, engine } = dataKey;
  const { wrappedText: wrapped_key, keyId: key_id, keyVersion: key_version } = key;
  if (typeof value === 'string' && engine.sealText) {
    const { ciphertext, iv } = engine.sealText(dataKey, value, context);
    return { ciphertext, wrapped_key, iv, key_id, key_version } as Outcome<Mode, Bundle>;
  }
  const plaintext = typeof value === 'string' ? toUtf8(value) : value;
  return sealUnder(dataKey, plaintext, context, (envelope) => {
    const iv = toBase64(envelope.subarray(header.length, header.length + 12));
    return { ciphertext: toBase64(envelope), wrapped_key, iv, key_id, key_version };
  });
}
