import { InputError, parseEnvelope } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { replaceWrapped } from '@eaas/protocol/internal';
import { number, object, requireKind } from '@eaas/protocol/internal-options';
import type { Bundle } from '../client/ciphertext.ts';

/**
 * The parts of an encrypted value that an app stores in separate columns. If a part is absent, `fold` keeps the
 * corresponding part of the ciphertext.
 */
export interface StoredParts {
  readonly ciphertext: string;
  readonly wrapped_key?: string | null | undefined;
  readonly iv?: string | null | undefined;
  readonly key_version?: number | null | undefined;
}

/**
 * Returns the ciphertext with the given `wrapped_key`, `iv` and `key_version`. Throws FormatError or InputError for
 * invalid parts.
 */
export function fold(parts: StoredParts): string {
  requireKind(object, parts, 'the argument of `fold`');
  const { ciphertext, wrapped_key, iv, key_version } = parts;
  if ((key_version ?? undefined) !== undefined) requireKind(number, key_version, '`key_version`');
  const bytes = fromBase64(ciphertext, 'ciphertext');
  const before = parseEnvelope(bytes);
  const folded = replaceWrapped(bytes, {
    keyId: before.keyId,
    keyVersion: key_version ?? before.keyVersion,
    wrappedKey: wrapped_key ? fromBase64(wrapped_key, 'wrapped_key') : before.wrappedKey,
  });
  const nonce = iv ? fromBase64(iv, 'iv') : before.iv;
  if (nonce.length !== before.iv.length) {
    throw new InputError(`\`iv\` must have ${before.iv.length} bytes (got ${nonce.length})`);
  }
  parseEnvelope(folded).iv.set(nonce);
  return toBase64(folded);
}

/**
 * Returns the five fields of a ciphertext, for a table with one column per field. Throws FormatError for text that is
 * not a ciphertext.
 */
export function unfold(ciphertext: string): Bundle {
  const { wrappedKey, iv, keyId, keyVersion } = parseEnvelope(fromBase64(ciphertext, 'ciphertext'));
  const parts = { wrapped_key: toBase64(wrappedKey), iv: toBase64(iv) };
  return { ciphertext, ...parts, key_id: keyId, key_version: keyVersion };
}
