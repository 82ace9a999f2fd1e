// One spelling for each id: UUIDs in lower case, as text and as the 16 bytes of a header.
import { fromHex, toHex } from './bytes.ts';
import { InputError } from './errors.ts';

/** Returns the UUID in lower case. Returns undefined unless the text is a UUID of 36 characters with hyphens. */
export function parseUuid(text: string): string | undefined {
  return /^[\da-f]{8}(-[\da-f]{4}){4}[\da-f]{8}$/i.test(text) ? text.toLowerCase() : undefined;
}

/**
 * Returns the name of a subject or a user as everybody reads it: a UUID in lower case, and other text as it is. So no
 * spelling of one person is another.
 */
export const personName = (text: string): string => parseUuid(text) ?? text;

/** Reads a UUID into 16 bytes. Throws InputError for other text. */
export function uuidToBytes(text: string): Uint8Array {
  const id = parseUuid(text);
  if (!id) throw new InputError('a key id must be a UUID, not the name of a key');
  return fromHex(id.replaceAll('-', ''));
}

/** Writes 16 bytes as a UUID. */
export const uuidFromBytes = (bytes: Uint8Array): string =>
  toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
