// The bytes of a stream: its head, its sizes, and the cipher of its chunks, which authenticates their order and the end.
import { concatBytes } from '@noble/ciphers/utils.js';
import { randomBytes, using } from './bytes.ts';
import { type Context, encodeContext } from './context.ts';
import { type DataKey, requireKey } from './data-key.ts';
import { deriveCommitted, hkdf } from './derive.ts';
import { authentic, type Engine, type EngineMode, onward, type Outcome } from './engines/engine.ts';
import { formatHeader, type Header, readHeader, truncated } from './envelope.ts';
import { FormatError, incomplete, InputError } from './errors.ts';
import {
  commitmentLength,
  dekLength,
  fixedLength,
  maxWrappedKey,
  prefixLength,
  streamChunkLength,
  tagLength,
} from './format-sizes.ts';
import { pae } from './pae.ts';
import type { Unwrap, Wrap } from './seal.ts';
import { serviceWrappedLength } from './wrapped-key.ts';

const saltLength = 32;
export const sealedChunkLength = 65_552; // 65,536 bytes and the tag
/** The longest head of a stream, in bytes: header, wrapped key, salt and commitment. */
export const maxHeadLength = 2_138;

/** The parsed head of a stream. The chunks follow the head. The parts are views of the input. */
export interface StreamHead extends Header {
  readonly salt: Uint8Array;
  readonly commitment: Uint8Array;
  readonly end: number;
}

/**
 * Parses the head of a stream. Returns undefined if more bytes are needed. Throws FormatError if no stream begins with
 * these bytes.
 */
export function findStreamHead(bytes: Uint8Array): StreamHead | undefined {
  const header = readHeader(bytes);
  if (!header) return undefined;
  if (header.version !== 2) {
    throw new FormatError('expected a stream (version 2), got a single envelope (version 1)');
  }
  const commitmentAt = header.length + saltLength;
  const end = commitmentAt + commitmentLength;
  if (bytes.length < end) return undefined;
  const salt = bytes.subarray(header.length, commitmentAt);
  return { ...header, salt, commitment: bytes.subarray(commitmentAt, end), end };
}

/**
 * Parses the head of a stream from the first bytes of the stream. 2,138 bytes are always enough. Throws FormatError if
 * the bytes do not begin with a head.
 */
export function parseStreamHead(bytes: Uint8Array): StreamHead {
  const head = findStreamHead(bytes);
  if (!head) throw truncated();
  return head;
}

/**
 * Returns the exact size of an encrypted stream. The default of `wrappedKeyLength` is 78 bytes, the length of
 * the wrapped keys that the service returns today. Throws InputError for an invalid size.
 *
 * @example
 * ```ts
 * import { ciphertextSize } from '@eaas/sdk/stream';
 *
 * console.log(ciphertextSize(1_000_000)); // 1000424
 * ```
 */
export function ciphertextSize(plaintextSize: number, wrappedKeyLength = serviceWrappedLength): number {
  requireSize(plaintextSize);
  const chunks = Math.max(1, Math.ceil(plaintextSize / streamChunkLength));
  return headLengthOf(wrappedKeyLength) + plaintextSize + chunks * tagLength;
}

/**
 * Returns the plaintext size of an encrypted stream. The size is not authenticated: a truncated stream can look like a
 * shorter complete stream. Throws FormatError if no stream can have the given size.
 *
 * @example
 * ```ts
 * import { ciphertextSize, plaintextSize } from '@eaas/sdk/stream';
 *
 * console.log(plaintextSize(ciphertextSize(1_000_000))); // 1000000
 * ```
 */
export function plaintextSize(ciphertextSize: number, wrappedKeyLength = serviceWrappedLength): number {
  return layoutOf(ciphertextSize, headLengthOf(wrappedKeyLength)).plaintextSize;
}

export interface Layout {
  readonly headLength: number;
  readonly chunks: number;
  readonly plaintextSize: number;
}

export function layoutOf(ciphertextSize: number, headLength: number): Layout {
  requireSize(ciphertextSize);
  const body = ciphertextSize - headLength;
  const chunks = Math.max(1, Math.ceil(body / sealedChunkLength));
  const least = (chunks - 1) * sealedChunkLength + tagLength + (chunks === 1 ? 0 : 1);
  if (body < least) throw new FormatError(`the stream was cut short (got ${ciphertextSize} bytes)`);
  return { headLength, chunks, plaintextSize: body - chunks * tagLength };
}

function headLengthOf(wrappedKeyLength: number): number {
  if (!Number.isInteger(wrappedKeyLength) || wrappedKeyLength < 1 || wrappedKeyLength > maxWrappedKey) {
    throw new InputError(`a wrapped key must have 1 to ${maxWrappedKey} bytes`);
  }
  return fixedLength + wrappedKeyLength + saltLength + commitmentLength;
}

export function requireSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new InputError(`a size must be a whole number of bytes, at least 0`);
  }
}

export type Result = Outcome<EngineMode, Uint8Array>;

const noAad = /* @__PURE__ */ new Uint8Array(0);

/** What encrypts the chunks of a stream: a data key whose messages have no header of their own. The caller wipes it. */
export type StreamKey = Pick<DataKey, 'engine' | 'key' | 'commitment' | 'reason'>;

export const requireOpen = (streamKey: StreamKey): unknown =>
  requireKey(streamKey, 'the encrypted stream or file was already closed');

export function sealChunk(streamKey: StreamKey, plaintext: Uint8Array, index: number, last: boolean): Result {
  const { engine } = streamKey;
  const length = plaintext.length + tagLength;
  const out = engine.allocate?.(length) ?? new Uint8Array(length);
  const sealed = engine.encrypt(requireOpen(streamKey), nonce(index, last), noAad, plaintext, out);
  return onward<EngineMode, void, Uint8Array>(sealed, () => out);
}

export function openChunk(
  streamKey: StreamKey,
  body: Uint8Array,
  index: number,
  last: boolean,
  reason = streamKey.reason,
): Result {
  // An empty last chunk is valid only if the whole stream has no plaintext.
  if (body.length < tagLength + (index === 0 ? 0 : 1)) throw incomplete();
  return authentic(streamKey.engine.decrypt(requireOpen(streamKey), nonce(index, last), noAad, body), reason);
}

export async function createStream(wrap: Wrap, engine: Engine, context: Context | undefined) {
  // Throws for an invalid context before the request that wraps the data key.
  const encoded = encodeContext(context);
  const dek = randomBytes(dekLength);
  try {
    const header = formatHeader(2, await wrap(dek));
    const salt = randomBytes(saltLength);
    const streamKey = await deriveStreamKey(engine, dek, salt, header, encoded);
    return { head: concatBytes(header, salt, streamKey.commitment), streamKey };
  } finally {
    dek.fill(0);
  }
}

export async function openHead(
  head: StreamHead,
  unwrap: Unwrap,
  engine: Engine,
  context: Context | undefined,
): Promise<StreamKey> {
  const encoded = encodeContext(context);
  const derive = (dek: Uint8Array) => deriveStreamKey(engine, dek, head.salt, head.prefix, encoded);
  return deriveCommitted(await unwrap(head), head.commitment, derive);
}

async function deriveStreamKey(
  engine: Engine,
  dek: Uint8Array,
  salt: Uint8Array,
  header: Uint8Array,
  context: Uint8Array,
): Promise<StreamKey> {
  const derived = hkdf(dek, salt, pae('eaas stream v2', header.subarray(0, prefixLength), context));
  const commitment = derived.slice(32);
  const key = await using(derived, () => engine.importKey(derived.subarray(0, 32)));
  return { engine, commitment, key };
}

function nonce(index: number, last: boolean): Uint8Array {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint32(3, Math.floor(index / 2 ** 32));
  view.setUint32(7, index);
  bytes[11] = last ? 1 : 0;
  return bytes;
}
