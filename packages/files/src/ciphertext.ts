import { FormatError } from '@eaas/protocol';
import { envelopeLength, type Header, parseHeader } from '@eaas/protocol/internal';
import { maxHeadLength, plaintextSize } from '@eaas/protocol/stream';
import { decodeBase64 } from './base64.ts';
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

export function sizeWithin({ kind, header, beginning }: Ciphertext, size: number): number {
  if (kind === 'stream') return plaintextSize(size, header.wrappedKey.length);
  const least = envelopeLength({ header: beginning.subarray(0, header.length) }, 0);
  if (size < least) throw new FormatError('the ciphertext was cut short');
  return size - least;
}

export async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
