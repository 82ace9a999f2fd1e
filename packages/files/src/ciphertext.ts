import { FormatError } from '@eaas/protocol';
import { parseHeader, readHeader } from '@eaas/protocol/internal';
import { maxHeadLength, plaintextSize } from '@eaas/protocol/stream';
import { decodeBase64 } from './base64.ts';
import { peek } from './read.ts';

export interface Ciphertext {
  readonly kind: 'stream' | 'value';
  readonly keyId: string;
  readonly keyVersion: number;
  readonly isText: boolean;
  readonly beginning: Uint8Array;
  readonly bytes: AsyncGenerator<Uint8Array>;
}

// The sum of the lengths of the iv, the commitment and the tag, in bytes.
const valueOverhead = 12 + 32 + 16;

export async function openCiphertext(pieces: AsyncGenerator<Uint8Array>): Promise<Ciphertext> {
  const { beginning, all } = await peek(pieces, maxHeadLength);
  const isText = Buffer.from(beginning.subarray(0, 4)).toString('latin1') === 'eaas';
  if (!isText) return ciphertextOf(beginning, all, false);
  const decoded = await peek(decodeBase64(all), maxHeadLength);
  return ciphertextOf(decoded.beginning, decoded.all, true);
}

function ciphertextOf(beginning: Uint8Array, bytes: AsyncGenerator<Uint8Array>, isText: boolean): Ciphertext {
  const { version, keyId, keyVersion } = readHeader(beginning) ?? parseHeader(beginning);
  return { kind: version === 2 ? 'stream' : 'value', keyId, keyVersion, isText, beginning, bytes };
}

export function sizeWithin({ kind, beginning }: Ciphertext, size: number): number {
  const { length, wrappedKey } = parseHeader(beginning);
  if (kind === 'stream') return plaintextSize(size, wrappedKey.length);
  if (size < length + valueOverhead) throw new FormatError('the envelope is incomplete');
  return size - length - valueOverhead;
}

export async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
