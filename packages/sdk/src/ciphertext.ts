import { FormatError, InputError, toUtf8 } from '@eaas/protocol';
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

/** The bytes of a value to encrypt. Throws InputError for what is neither text nor bytes. */
export function plaintextBytes(value: string | Uint8Array): Uint8Array {
  if (typeof value === 'string') return toUtf8(value, 'the value');
  if (value instanceof Uint8Array) return value;
  throw new InputError('a value is a string or a Uint8Array');
}

export function bundleOf(key: LiveKey, envelope: Uint8Array): Bundle {
  const ivAt = key.fields.header.length;
  return {
    ciphertext: toBase64(envelope),
    wrapped_key: key.wrappedText,
    iv: toBase64(envelope.subarray(ivAt, ivAt + 12)),
    key_id: key.keyId,
    key_version: key.keyVersion,
  };
}
