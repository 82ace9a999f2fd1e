import { commitmentLength, fixedLength, tagLength } from './envelope.ts';
import { FormatError, InputError } from './errors.ts';
import { maxWrappedKey, streamChunkLength } from './limits.ts';

export const saltLength = 32;
export const sealedChunkLength = 65_552; // 65,536 and a tag

const wrappedKeyToday = 78;

/**
 * How many bytes the stream will have that `sealStream` makes of so many: exact, before the first is sealed.
 * `wrappedKeyLength` is what the service makes: 78 today. Throws InputError for what is no size.
 */
export function ciphertextSize(plaintextSize: number, wrappedKeyLength = wrappedKeyToday): number {
  requireSize(plaintextSize);
  const chunks = Math.max(1, Math.ceil(plaintextSize / streamChunkLength));
  return headLengthOf(wrappedKeyLength) + plaintextSize + chunks * tagLength;
}

/**
 * How many bytes a stream of so many holds. The size alone proves nothing: a stream that was cut at a chunk's end has
 * a possible size too. Throws FormatError for a size that no stream has.
 */
export function plaintextSize(ciphertextSize: number, wrappedKeyLength = wrappedKeyToday): number {
  return layoutOf(ciphertextSize, headLengthOf(wrappedKeyLength)).plaintextSize;
}

/** Where the chunks of a stream lie. */
export interface Layout {
  readonly headLength: number;
  readonly chunks: number;
  readonly plaintextSize: number;
}

export function layoutOf(ciphertextSize: number, headLength: number): Layout {
  requireSize(ciphertextSize);
  const body = ciphertextSize - headLength;
  const chunks = Math.max(1, Math.ceil(body / sealedChunkLength));
  // Only a stream without any content ends in an empty chunk.
  const least = (chunks - 1) * sealedChunkLength + tagLength + (chunks === 1 ? 0 : 1);
  if (body < least) throw new FormatError(`no stream has ${ciphertextSize} bytes: it is cut short`);
  return { headLength, chunks, plaintextSize: body - chunks * tagLength };
}

function headLengthOf(wrappedKeyLength: number): number {
  if (!Number.isInteger(wrappedKeyLength) || wrappedKeyLength < 1 || wrappedKeyLength > maxWrappedKey) {
    throw new InputError(`a wrapped key has 1 to ${maxWrappedKey} bytes`);
  }
  return fixedLength + wrappedKeyLength + saltLength + commitmentLength;
}

function requireSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new InputError('a size is a whole number of bytes');
}
