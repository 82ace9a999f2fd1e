// The second half: 32 bytes of the client's own, which it mixes into data keys and index keys. The service never sees them.
import { pae } from './pae.ts';
import { bytesOfBase62, checksum, secretText } from './base62.ts';

const prefix = 'eaas_half_';

/** The message whose HMAC under a half takes the place of a DEK. Contains the DEK: overwrite it after use. */
export const mixMessage = (keyId: string, dek: Uint8Array) => pae('eaas half v1', keyId, dek);

/** The message whose HMAC under a half is an index key. `tokenKey` is the key of a token, or null without a token. */
export const halfIndexMessage = (tokenKey: Uint8Array | null) => pae('eaas half index v1', tokenKey);

/** The message whose HMAC under a half begins with the half id. */
export const halfIdMessage = () => pae('eaas half id v1');

/** Formats a half as text: the prefix, 43 base62 digits, and 6 digits of a CRC-32. */
export const formatHalf = (half: Uint8Array): string => secretText(prefix, half);

/** Reads the text of a half, or returns what came instead, without quoting it. */
export function parseHalf(text: string): Uint8Array<ArrayBuffer> | string {
  const body = text.slice(0, -6);
  const end = text.slice(-6);
  const digits = body.slice(prefix.length);
  if (!text.startsWith(prefix)) return `text that does not begin with ${prefix}`;
  if (!/^[0-9A-Za-z]{43}$/.test(digits)) return `not 49 digits and letters after ${prefix}`;
  if (checksum(body) !== end) return 'a wrong checksum: copy it again';
  return bytesOfBase62(digits) ?? 'a number of more than 32 bytes';
}
