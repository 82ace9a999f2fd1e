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
 * Returns the kind `broken` for a truncated ciphertext, and not the kind `plaintext`. Otherwise a run would encrypt the
 * truncated ciphertext as a plaintext, and the app would not notice the lost data.
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
 * Returns whether a value is encrypted. Use this function during a migration, while a table contains plaintext and
 * ciphertexts. During this time, anyone who can write to the table can replace a ciphertext by plaintext.
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
