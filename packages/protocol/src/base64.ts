import { notBase64 } from './base64-refusal.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digits = /* @__PURE__ */ Uint8Array.from(alphabet, (char) => char.charCodeAt(0));
const values = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, char) => digits.indexOf(char) & 255);
const pad = 61; // '='
const ascii = /* @__PURE__ */ new TextDecoder();

/** The platform's own, where it has them (ES2026): looked up when called, so that importing this runs nothing. */
interface Encodable extends Uint8Array {
  toBase64?(): string;
}
interface Decoding {
  fromBase64?(text: string, options: { lastChunkHandling: 'strict' }): Uint8Array<ArrayBuffer>;
}

/** Base64 in the standard alphabet, with padding. */
export function toBase64(bytes: Uint8Array): string {
  return (bytes as Encodable).toBase64?.() ?? encode(bytes);
}

/** The bytes of canonical base64: exactly one spelling of each value is accepted, else InputError. */
export function fromBase64(text: string, what = 'value'): Uint8Array<ArrayBuffer> {
  const bytes = decode(text);
  if (!bytes) throw notBase64(what);
  return bytes;
}

/** Whether the text is canonical base64. */
export function isBase64(text: string): boolean {
  return decode(text) !== undefined;
}

function encode(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group = (byte(bytes, i) << 16) | (byte(bytes, i + 1) << 8) | byte(bytes, i + 2);
    for (let digit = 0; digit < 4; digit++) {
      out[at++] = digit <= left ? byte(digits, (group >> (18 - 6 * digit)) & 63) : pad;
    }
  }
  return ascii.decode(out);
}

function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = Math.max(0, (text.length / 4) * 3 - padding);
  try {
    const bytes = (Uint8Array as Decoding).fromBase64?.(text, { lastChunkHandling: 'strict' });
    // It passes over white space, and then there are fewer bytes than the text has room for.
    if (bytes) return bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
  const out = new Uint8Array(length);
  let seen = 0;
  let group = 0;
  for (let i = 0, at = 0; i < text.length; i++) {
    // A missing digit at the end counts as zero, and 255 marks what is no digit.
    const value = i < text.length - padding ? (values[text.charCodeAt(i)] ?? 255) : 0;
    seen |= value;
    group = (group << 6) | value;
    if ((i & 3) === 3) {
      out[at++] = group >> 16;
      out[at++] = group >> 8;
      out[at++] = group;
      // What the padding leaves over must be zero, or two texts would spell the same bytes.
      if (at > out.length) seen |= (group & (padding === 2 ? 0xffff : 0xff)) << 8;
      group = 0;
    }
  }
  return seen > 63 || text.length & 3 ? undefined : out;
}

function byte(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
