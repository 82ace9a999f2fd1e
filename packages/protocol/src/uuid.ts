import { InputError } from './errors.ts';

const hex = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => (256 + byte).toString(16).slice(1));

/** The UUID in lower case, or undefined where the text is not 36 characters with hyphens. */
export function parseUuid(text: string): string | undefined {
  return /^[\da-f]{8}(-[\da-f]{4}){4}[\da-f]{8}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** The 16 bytes of a UUID; InputError where the text is none. */
export function uuidToBytes(text: string): Uint8Array {
  const id = parseUuid(text);
  if (!id) throw new InputError('a key id is a UUID, as POST /v1/keys returned it');
  return Uint8Array.from(id.match(/\w\w/g) ?? [], (pair) => hex.indexOf(pair));
}

/** The UUID, in lower case, of 16 bytes. */
export function uuidFromBytes(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < 16; at++) {
    text += hex[bytes[at] ?? 0];
    if (at > 2 && at < 10 && at & 1) text += '-';
  }
  return text;
}
