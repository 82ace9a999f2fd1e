import { InputError } from './errors.ts';

const encoder = /* @__PURE__ */ new TextEncoder();
// ignoreBOM keeps a leading U+FEFF: in a plaintext every character is data.
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * UTF-8 of well-formed text. Refuses lone surrogates with InputError: TextEncoder would map all of them to the
 * same bytes, so that two different texts would encrypt, hash and authenticate alike.
 */
export function toUtf8(text: string, what = 'text'): Uint8Array<ArrayBuffer> {
  if (!text.isWellFormed()) throw new InputError(`${what} has a lone surrogate`);
  return encoder.encode(text);
}

/** The text that the bytes spell; throws TypeError when they are not valid UTF-8. */
export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** How many bytes the text takes in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** Whether the text holds a control character (`\p{Cc}`), which nothing that is stored or logged may. */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
