import { parseEnvelope } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { type Header, parseHeader } from '@eaas/protocol/internal';
import type { Ciphertext } from '../ciphertext.ts';

/** The header of earlier ciphertexts, and the name of its data key for the last scope and form. */
export interface KnownHeader {
  readonly header: Header;
  scope?: string | undefined;
  form?: string;
  name?: string;
}

/**
 * Returns a function that reads the header of a ciphertext, given as the caller passed it and as bytes. The function
 * keeps up to `most` headers by their base64 text, because many rows share a data key, and a look-up by text is faster
 * than parsing.
 */
export function createHeaderReader(most: number) {
  const known = new Map<string, KnownHeader>();
  /** The length of the last parsed header, in bytes and in whole characters of base64. */
  let length = 0;
  let characters = 0;

  const find = (ciphertext: Ciphertext, bytes: Uint8Array): KnownHeader | undefined => {
    const given =
      ciphertext instanceof Uint8Array || typeof ciphertext === 'string' ? ciphertext : ciphertext.ciphertext;
    const text = typeof given === 'string' ? given : toBase64(bytes.subarray(0, length));
    const found = known.get(text.slice(0, characters));
    // The characters can lack some bits of the last byte of the header.
    return found?.header.wrappedKey.at(-1) === bytes[length - 1] ? found : undefined;
  };

  return (ciphertext: Ciphertext, bytes: Uint8Array): KnownHeader => {
    const found = find(ciphertext, bytes);
    if (found) return found;
    ({ length } = parseEnvelope(bytes));
    characters = Math.floor((length * 8) / 6);
    // The header is copied, because a view of it would keep the whole ciphertext in memory.
    const header = parseHeader(new Uint8Array(bytes.subarray(0, length)));
    const fresh = { header };
    if (known.size >= most) known.clear();
    known.set(toBase64(bytes.subarray(0, length)).slice(0, characters), fresh);
    return fresh;
  };
}
