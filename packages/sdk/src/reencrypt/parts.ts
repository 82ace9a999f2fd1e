import { InputError, parseEnvelope } from '@eaas/protocol';
import { replaceWrapped } from '@eaas/protocol/envelope';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import type { Bundle } from '../ciphertext.ts';

/** A bundle whose parts were stored apart. What is absent is taken from the ciphertext. */
export interface StoredParts {
  readonly ciphertext: string;
  readonly wrapped_key?: string | null | undefined;
  readonly iv?: string | null | undefined;
  readonly key_version?: number | null | undefined;
}

/**
 * One ciphertext of parts that were stored apart: the wrapped key, the iv and the key version beside it take the place of
 * those in it, as they do when the service is given them. Throws FormatError or InputError for parts that are none.
 */
export function fold({ ciphertext, wrapped_key, iv, key_version }: StoredParts): string {
  const bytes = fromBase64(ciphertext, 'ciphertext');
  const before = parseEnvelope(bytes);
  const folded = replaceWrapped(bytes, {
    keyId: before.keyId,
    keyVersion: key_version ?? before.keyVersion,
    wrappedKey: wrapped_key ? fromBase64(wrapped_key, 'wrapped_key') : before.wrappedKey,
  });
  const nonce = iv ? fromBase64(iv, 'iv') : before.iv;
  if (nonce.length !== before.iv.length) throw new InputError('an iv has 12 bytes');
  parseEnvelope(folded).iv.set(nonce);
  return toBase64(folded);
}

/** The five fields of a ciphertext, for a table that keeps them in columns. Throws FormatError for what is none. */
export function unfold(ciphertext: string): Bundle {
  const { wrappedKey, iv, keyId, keyVersion } = parseEnvelope(fromBase64(ciphertext, 'ciphertext'));
  const parts = { wrapped_key: toBase64(wrappedKey), iv: toBase64(iv) };
  return { ciphertext, ...parts, key_id: keyId, key_version: keyVersion };
}
