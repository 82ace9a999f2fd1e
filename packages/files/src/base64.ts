import { FormatError } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/base64';

export async function* decodeBase64(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + Buffer.from(piece).toString('latin1');
    const trimmed = text.trimEnd();
    // Keeps the last one to four characters for the next piece, because only the end of the whole text can have
    // padding.
    const end = Math.max(0, Math.ceil(trimmed.length / 4) - 1) * 4;
    if (end > 0) yield bytesOf(trimmed.slice(0, end), (end / 4) * 3);
    rest = trimmed.slice(end) + (trimmed === text ? '' : ' ');
  }
  yield bytesOf(rest.trimEnd());
}

function bytesOf(text: string, length?: number): Uint8Array {
  const bytes = readBase64(text);
  if (bytes && (length === undefined || bytes.length === length)) return bytes;
  const advice = /\s/.test(text)
    ? 'contains a space or a line break: remove it'
    : 'is not valid base64: pass the unchanged ciphertext';
  throw new FormatError(`the ciphertext begins with \`eaas\` but ${advice}`);
}

export async function* encodeBase64(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    const end = bytes.length - (bytes.length % 3);
    yield Buffer.from(toBase64(bytes.subarray(0, end)));
    rest = bytes.subarray(end);
  }
  yield Buffer.from(toBase64(rest));
}
