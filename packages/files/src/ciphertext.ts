import { FormatError } from '@eaas/protocol';
import { readBase64 } from '@eaas/protocol/base64';
import { parseHeader, readHeader } from '@eaas/protocol/internal';
import { maxHeadLength, plaintextSize } from '@eaas/protocol/stream';
import { collect, peek } from './read.ts';

/** A ciphertext with its decoded header. */
export interface Ciphertext {
  /** A stream is decrypted chunk by chunk. A value is one envelope, which the program reads into memory. */
  readonly kind: 'stream' | 'value';
  readonly keyId: string;
  readonly keyVersion: number;
  /** Whether the ciphertext is base64. The program reads base64 into memory as a whole. */
  readonly isText: boolean;
  /** The first decoded bytes of the ciphertext, which contain the whole header. */
  readonly beginning: Uint8Array;
  /** All decoded bytes of the ciphertext. */
  readonly bytes: AsyncGenerator<Uint8Array>;
}

// The length of the iv, the commitment and the tag of an encrypted value.
const valueOverhead = 12 + 32 + 16;

/**
 * Reads the header of a ciphertext. The ciphertext is a stream or a value, as bytes or in base64. Throws FormatError.
 */
export async function openCiphertext(pieces: AsyncGenerator<Uint8Array>): Promise<Ciphertext> {
  const { beginning, all } = await peek(pieces, maxHeadLength);
  const isText = Buffer.from(beginning.subarray(0, 4)).toString('latin1') === 'eaas';
  if (!isText) return ciphertextOf(beginning, all, false);
  const bytes = readBase64((await collect(all)).toString('latin1').trim());
  if (!bytes) throw new FormatError('the ciphertext begins with `eaas` but is not valid base64');
  return ciphertextOf(bytes, one(bytes), true);
}

function ciphertextOf(beginning: Uint8Array, bytes: AsyncGenerator<Uint8Array>, isText: boolean): Ciphertext {
  const { version, keyId, keyVersion } = readHeader(beginning) ?? parseHeader(beginning);
  return { kind: version === 2 ? 'stream' : 'value', keyId, keyVersion, isText, beginning, bytes };
}

/**
 * Computes the size of the plaintext from the size of the ciphertext. The result is not authenticated. Throws
 * FormatError.
 */
export function sizeWithin({ kind, beginning }: Ciphertext, size: number): number {
  const { length, wrappedKey } = parseHeader(beginning);
  if (kind === 'stream') return plaintextSize(size, wrappedKey.length);
  if (size < length + valueOverhead) throw new FormatError('the envelope is incomplete');
  return size - length - valueOverhead;
}

export async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
