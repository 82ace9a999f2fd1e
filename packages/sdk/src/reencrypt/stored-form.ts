import { parseEnvelope, toUtf8 } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { type Header, parseHeader, storedCiphertext } from '@eaas/protocol/internal';
import type { StoredValue } from './store.ts';

export interface Encrypted {
  readonly kind: 'envelope' | 'stream';
  readonly bytes: Uint8Array;
  readonly header: Header;
}

export type Form = { readonly kind: 'empty' | 'plaintext' | 'broken' } | Encrypted;

/**
 * A truncated ciphertext has the form `broken` and not `plaintext`, because encrypting it as plaintext would hide the
 * loss.
 */
export function formOf(value: StoredValue): Form {
  if (value === null || value === undefined) return { kind: 'empty' };
  const ciphertext = storedCiphertext(value);
  if (ciphertext === undefined) return { kind: 'plaintext' };
  try {
    const bytes = typeof ciphertext === 'string' ? fromBase64(ciphertext) : ciphertext;
    if (bytes[3] === 2) return { kind: 'stream', bytes, header: parseHeader(bytes) };
    return { kind: 'envelope', bytes, header: parseEnvelope(bytes) };
  } catch {
    return { kind: 'broken' };
  }
}

/**
 * Returns whether a value is encrypted, for an app that reads plaintext and ciphertexts during a migration. Until the
 * migration ends, anyone who can write to the table can store plaintext.
 */
export function isEncrypted(value: StoredValue): boolean {
  return 'header' in formOf(value);
}

/**
 * Whether the data key was wrapped with a public key (intake). A run always rewraps such a value, because rewrapping
 * makes it smaller.
 */
export const isIntake = ({ wrappedKey }: Header): boolean => wrappedKey[0] === 2;

export function inFormOf(stored: StoredValue, bytes: Uint8Array): string | Uint8Array {
  if (typeof stored === 'string') return toBase64(bytes);
  return typeof storedCiphertext(stored) === 'string' ? toUtf8(toBase64(bytes)) : bytes;
}
