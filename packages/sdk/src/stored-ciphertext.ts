import { looksLikeEnvelope } from '@eaas/protocol';

// Behind `eaas` follows the version, 1 or 2: `eaas` alone begins words as well, and `eaas@example.com`.
const beginning = /^eaasA[Q-Za-v]/;

/**
 * The ciphertext that a stored value begins as; undefined where it does not. It may be cut short or altered, and is never
 * taken for plaintext. Where a binary column answers the bytes of a text, it is the text.
 */
export function storedCiphertext(value: unknown): string | Uint8Array | undefined {
  if (typeof value === 'string') return beginning.test(value) ? value : undefined;
  if (!(value instanceof Uint8Array)) return undefined;
  if (looksLikeEnvelope(value)) return value[3] === 1 || value[3] === 2 ? value : undefined;
  return beginning.test(String.fromCharCode(...value.subarray(0, 6)))
    ? new TextDecoder().decode(value)
    : undefined;
}
