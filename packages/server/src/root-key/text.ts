// Root keys are plain byte arrays. A string cannot be wiped, and a small Buffer is in a memory pool that other code can
// read.

const keyBytes = 32;
const textBytes = 44;
const alphabet = Uint8Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  (letter) => letter.charCodeAt(0),
);
const [padding, newline] = [0x3d, 0x0a];

export const longestRootKeyText = textBytes + 1;

export function decodeRootKey(text: Uint8Array): Uint8Array | undefined {
  const length = text[textBytes] === newline ? text.length - 1 : text.length;
  if (length !== textBytes || text[textBytes - 1] !== padding) return undefined;
  const key = new Uint8Array(keyBytes);
  let [bits, held, at] = [0, 0, 0];
  for (const letter of text.subarray(0, textBytes - 1)) {
    const value = alphabet.indexOf(letter);
    if (value === -1) return wiped(key);
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) key[at++] = bits >> (held -= 8);
  }
  // Canonical base64: the two unused bits of the last character must be zero.
  return (bits & 3) === 0 ? key : wiped(key);
}

function wiped(key: Uint8Array): undefined {
  key.fill(0);
}

/**
 * Encodes a root key in base64, followed by a newline. Returns one byte per character instead of a string, because the
 * caller must wipe the result.
 */
export function encodeRootKey(key: Uint8Array): Uint8Array {
  const text = new Uint8Array(longestRootKeyText).fill(padding);
  for (let at = 0; at < textBytes - 1; at++) {
    const [byte, shift] = [(at * 6) >> 3, 10 - ((at * 6) & 7)];
    const pair = ((key[byte] ?? 0) << 8) | (key[byte + 1] ?? 0);
    text[at] = alphabet[(pair >> shift) & 63] ?? 0;
  }
  text[textBytes] = newline;
  return text;
}
