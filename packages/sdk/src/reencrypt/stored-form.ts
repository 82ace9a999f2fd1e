import { parseEnvelope, toUtf8 } from '@eaas/protocol';
import { type Header, parseHeader } from '@eaas/protocol/envelope';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { storedCiphertext } from '../stored-ciphertext.ts';
import type { StoredValue } from './store.ts';

/** A value that is encrypted: in one piece (version 1 of the format), or as a stream (version 2). */
export interface Encrypted {
  readonly kind: 'envelope' | 'stream';
  readonly bytes: Uint8Array;
  readonly header: Header;
}

/** What a stored value turns out to be. */
export type Form = { readonly kind: 'empty' | 'plaintext' | 'broken' } | Encrypted;

/**
 * Tells the form without any key. `broken` is what begins like an envelope and is none: one that was cut short by its
 * column, say. It is never taken for a plaintext, because encrypting it would hide that it is lost.
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
 * Whether a value is encrypted, for an application that reads both while its table is moved from plaintext. By then
 * anybody who can write to the table can pass off a plaintext: stop asking when the table has none left.
 */
export function isEncrypted(value: StoredValue): boolean {
  return 'header' in formOf(value);
}

/** The bytes in the form in which the value was stored. */
export function inFormOf(stored: StoredValue, bytes: Uint8Array): string | Uint8Array {
  if (typeof stored === 'string') return toBase64(bytes);
  return typeof storedCiphertext(stored) === 'string' ? toUtf8(toBase64(bytes)) : bytes;
}
