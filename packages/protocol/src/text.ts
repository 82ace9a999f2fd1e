// Text to UTF-8 and back without loss, and text of others in one line of a log or a page, where no hidden character stays hidden.
import { InputError } from './errors.ts';

const encoder = /* @__PURE__ */ new TextEncoder();
// `ignoreBOM: true` keeps a leading U+FEFF, because U+FEFF is part of the plaintext.
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws InputError for a lone surrogate, which TextEncoder would replace, and in versions of Node that are too old. */
export function requireWellFormed(text: string, what: string): void {
  if (!text.isWellFormed) throw new InputError('this platform is too old: Eaas needs Node 20.19 or later');
  if (!text.isWellFormed()) throw new InputError(`${what} must be valid Unicode (got a lone surrogate)`);
}

/** Encodes text in UTF-8. Throws InputError for a lone surrogate. */
export function toUtf8(text: string, what = 'text'): Uint8Array<ArrayBuffer> {
  requireWellFormed(text, what);
  return encoder.encode(text);
}

/** Decodes UTF-8. Throws TypeError for invalid bytes. */
export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The length of a text in UTF-8, in bytes. */
export const utf8Length = (text: string): number => encoder.encode(text).length;

/** Whether the text has a control character (`\p{Cc}`). Names and log lines must not contain control characters. */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/**
 * Returns text for one line of output. If a terminal or a page could show the text like another text, the result is
 * quoted and its hidden characters are escaped.
 */
export function inLine(text: string): string {
  const isPlain = !hasControlCharacter(text) && text.search(hidden) < 0 && !/^$|^[" ]| $| {2}/.test(text);
  // Escapes all but the first of several spaces, because a page would show them as one space.
  return isPlain
    ? text
    : escapeHidden(JSON.stringify(text)).replace(/ {2,}/g, (run) => ` ${escaped(run.slice(1))}`);
}

/** Escapes the hidden characters in JSON. The value of the JSON stays the same. */
export function escapeHidden(json: string): string {
  return json.replace(hidden, escaped);
}

/**
 * Characters without a visible form: control and format characters, spaces other than U+0020, and characters that are
 * invisible by default. Format characters can also change the order in which other characters are shown.
 */
const hidden = /(?![ \n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{DI}\u2800]/gu;

const escaped = (text: string): string =>
  text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
