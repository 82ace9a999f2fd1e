// Finds out from the first bytes what an input is, a stream or a single value, as bytes or in base64. The rest stays unread.
import { FormatError } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { envelopeLength, type Header, parseHeader } from '@eaas/protocol/internal';
import { maxHeadLength, plaintextSize } from '@eaas/protocol/stream';
import { peek } from './read.ts';

export interface Ciphertext {
  readonly kind: 'stream' | 'value';
  readonly header: Header;
  readonly isText: boolean;
  readonly beginning: Uint8Array;
  readonly bytes: AsyncGenerator<Uint8Array>;
}

export async function openCiphertext(pieces: AsyncGenerator<Uint8Array>): Promise<Ciphertext> {
  const { beginning, all } = await peek(pieces, maxHeadLength);
  const isText = Buffer.from(beginning.subarray(0, 4)).toString('latin1') === 'eaas';
  if (!isText) return ciphertextOf(beginning, all, false);
  const decoded = await peek(decodeBase64(all), maxHeadLength);
  return ciphertextOf(decoded.beginning, decoded.all, true);
}

function ciphertextOf(beginning: Uint8Array, bytes: AsyncGenerator<Uint8Array>, isText: boolean): Ciphertext {
  const header = parseHeader(beginning);
  return { kind: header.version === 2 ? 'stream' : 'value', header, isText, beginning, bytes };
}

export function sizeWithin({ kind, header }: Ciphertext, size: number): number {
  if (kind === 'stream') return plaintextSize(size, header.wrappedKey.length);
  const least = envelopeLength(header.length, 0);
  if (size < least) throw new FormatError('the ciphertext was cut short');
  return size - least;
}

export async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* decodeBase64(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
