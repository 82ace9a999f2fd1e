import { InputError } from './errors.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digits = Uint8Array.from(alphabet, (char) => char.charCodeAt(0));
const values = new Uint8Array(256).fill(255);
digits.forEach((char, value) => (values[char] = value));
const pad = 61; // '='
const ascii = new TextDecoder();
const encoder = new TextEncoder();

/** Base64 in the standard alphabet, with padding. */
export function toBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group = (byte(bytes, i) << 16) | (byte(bytes, i + 1) << 8) | byte(bytes, i + 2);
    out[at++] = byte(digits, group >> 18);
    out[at++] = byte(digits, (group >> 12) & 63);
    out[at++] = left > 1 ? byte(digits, (group >> 6) & 63) : pad;
    out[at++] = left > 2 ? byte(digits, group & 63) : pad;
  }
  return ascii.decode(out);
}

/** The bytes of canonical base64: exactly one spelling of each value is accepted, else InputError. */
export function fromBase64(text: string, what = 'value'): Uint8Array<ArrayBuffer> {
  const bytes = decode(text);
  if (!bytes) throw new InputError(`${what} is not canonical base64 (standard alphabet, with padding)`);
  return bytes;
}

/** Whether the text is canonical base64. */
export function isBase64(text: string): boolean {
  return decode(text) !== undefined;
}

function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined;
  const chars = encoder.encode(text);
  if (chars.length !== text.length) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const out = new Uint8Array((text.length / 4) * 3 - padding);
  const digitCount = chars.length - padding;
  let seen = 0;
  let group = 0;
  let at = 0;
  for (let i = 0; i < digitCount; i++) {
    const value = byte(values, byte(chars, i));
    seen |= value; // 255 marks what is no digit; checked once at the end
    group = (group << 6) | value;
    if ((i & 3) === 3) {
      out[at++] = group >> 16;
      out[at++] = group >> 8;
      out[at++] = group;
      group = 0;
    }
  }
  // The bits that the padding leaves over must be zero, or two texts would spell the same bytes.
  const slack = padding === 2 ? group & 0xf : padding === 1 ? group & 0x3 : 0;
  if (seen > 63 || slack !== 0) return undefined;
  if (padding === 2) out[at] = group >> 4;
  if (padding === 1) {
    out[at++] = group >> 10;
    out[at] = group >> 2;
  }
  return out;
}

function byte(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
