import { InputError } from './errors.ts';

const encoder = /* @__PURE__ */ new TextEncoder();
// `ignoreBOM: true` keeps a leading U+FEFF, because U+FEFF is part of the plaintext.
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes text in UTF-8. Throws InputError for a lone surrogate, because TextEncoder would replace it. */
export function toUtf8(text: string, what = 'text'): Uint8Array<ArrayBuffer> {
  if (!text.isWellFormed()) throw new InputError(`${what} must be valid Unicode (got a lone surrogate)`);
  return encoder.encode(text);
}

/** Decodes UTF-8. Throws TypeError for invalid bytes. */
export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The length of a text in UTF-8, in bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** Whether the text has a control character (`\p{Cc}`). Names and log lines must not contain control characters. */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/**
 * Returns text for one line of output. Text with control characters is quoted, because a terminal would interpret these
 * characters.
 */
export function inLine(text: string): string {
  return hasControlCharacter(text) ? JSON.stringify(text).replace(/\p{Cc}/gu, escaped) : text;
}

/** Escapes the control characters from U+007F to U+009F, which `JSON.stringify` leaves unchanged. */
const escaped = (character: string): string => `\\u00${character.charCodeAt(0).toString(16)}`;
