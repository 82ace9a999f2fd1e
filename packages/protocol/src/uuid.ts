import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { InputError } from './errors.ts';

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The UUID in lower case, or undefined where the text is not 36 characters with hyphens. */
export function parseUuid(text: string): string | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return pattern.test(lower) ? lower : undefined;
}

/** The 16 bytes of a UUID; InputError where the text is none. */
export function uuidToBytes(text: string): Uint8Array {
  const uuid = parseUuid(text);
  if (!uuid) throw new InputError('a key id is a UUID of 36 characters, as POST /v1/keys returned it');
  return hexToBytes(uuid.replaceAll('-', ''));
}

/** The UUID, in lower case, of 16 bytes. */
export function uuidFromBytes(bytes: Uint8Array): string {
  const hex = bytesToHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
