// Base64 where there is no Buffer, as in pages: what `#base64` is outside Node. Text that is not canonical does not decode.
interface Encodable extends Uint8Array {
  toBase64?(): string;
}
interface Decoding {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

export function toBase64(bytes: Uint8Array): string {
  return (bytes as Encodable).toBase64?.() ?? btoa(latin1Of(bytes));
}

export function viewBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = (Uint8Array as Decoding).fromBase64?.(text) ?? bytesOf(atob(text));
    return toBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

export { viewBase64 as lendBase64 };

function bytesOf(latin1: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(latin1.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = latin1.charCodeAt(at);
  return bytes;
}

/** Calls `fromCharCode` with 8 KiB at a time, because JavaScript limits the number of arguments of a call. */
function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}
