import { notBase64 } from './base64-refusal.ts';

/** The platform's own, where it has them (ES2026): looked up when called, so that importing this runs nothing. */
interface Encodable extends Uint8Array {
  toBase64?(): string;
}
interface Decoding {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

/** Base64 in the standard alphabet, with padding. */
export function toBase64(bytes: Uint8Array): string {
  return (bytes as Encodable).toBase64?.() ?? btoa(latin1Of(bytes));
}

/** The bytes of canonical base64: exactly one spelling of each value is accepted, else InputError. */
export function fromBase64(text: string, what = 'value'): Uint8Array<ArrayBuffer> {
  const bytes = readBase64(text);
  if (!bytes) throw notBase64(what);
  return bytes;
}

/** Whether the text is canonical base64. */
export function isBase64(text: string): boolean {
  return readBase64(text) !== undefined;
}

/** The bytes of canonical base64, or undefined where the text is none. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = (Uint8Array as Decoding).fromBase64?.(text) ?? bytesOf(atob(text));
    // Both pass over white space, missing padding and bits that are left over.
    return toBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** As readBase64, for what is read and let go: in Node it is faster. */
export { readBase64 as viewBase64 };

function bytesOf(latin1: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(latin1.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = latin1.charCodeAt(at);
  return bytes;
}

/** A character for each byte; in pieces, because a call takes only so many arguments. */
function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}
