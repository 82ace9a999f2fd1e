import { parseEnvelope } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { type Header, parseHeader } from '@eaas/protocol/internal';
import type { Ciphertext } from '../ciphertext.ts';

export interface KnownHeader {
  readonly header: Header;
  scope?: string | undefined;
  form?: string;
  name?: string;
}

export function createHeaderReader(most: number) {
  const known = new Map<string, KnownHeader>();
  let headerBytes = 0;
  let headerCharacters = 0;

  const find = (ciphertext: Ciphertext, bytes: Uint8Array): KnownHeader | undefined => {
    const given =
      ciphertext instanceof Uint8Array || typeof ciphertext === 'string' ? ciphertext : ciphertext.ciphertext;
    const text = typeof given === 'string' ? given : toBase64(bytes.subarray(0, headerBytes));
    const found = known.get(text.slice(0, headerCharacters));
    // The base64 text can lack some bits of the header's last byte.
    return found?.header.wrappedKey.at(-1) === bytes[headerBytes - 1] ? found : undefined;
  };

  return (ciphertext: Ciphertext, bytes: Uint8Array): KnownHeader => {
    const found = find(ciphertext, bytes);
    if (found) return found;
    ({ length: headerBytes } = parseEnvelope(bytes));
    headerCharacters = Math.floor((headerBytes * 8) / 6);
    // A view of the header would keep the whole ciphertext in memory.
    const header = parseHeader(new Uint8Array(bytes.subarray(0, headerBytes)));
    const fresh = { header };
    if (known.size >= most) known.clear();
    known.set(toBase64(bytes.subarray(0, headerBytes)).slice(0, headerCharacters), fresh);
    return fresh;
  };
}
