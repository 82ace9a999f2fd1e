import { FormatError, InputError } from './errors.ts';
import { commitmentLength, fixedLength, ivLength, maxWrappedKey, prefixLength, tagLength } from './limits.ts';
import { writeUint32 } from './pae.ts';
import { uuidFromBytes, uuidToBytes } from './uuid.ts';

export { commitmentLength, fixedLength, ivLength, tagLength } from './limits.ts';

/** Begins every envelope; in base64 it reads `eaas`. */
const magic = [0x79, 0xa6, 0xac];

/** The key that an envelope names: which one wrapped its data key, and the result. */
export interface Wrapped {
  readonly keyId: string;
  readonly keyVersion: number;
  readonly wrappedKey: Uint8Array;
}

/** What stands before the encrypted part, the same in version 1 (values) and 2 (streams). */
export interface Header extends Wrapped {
  readonly version: 1 | 2;
  /** The first 20 bytes, which the encryption authenticates. */
  readonly prefix: Uint8Array;
  /** Where the header ends. */
  readonly length: number;
}

/** An envelope of version 1, taken apart. Its parts are views of the bytes that were parsed. */
export interface Envelope extends Header {
  readonly version: 1;
  readonly iv: Uint8Array;
  readonly commitment: Uint8Array;
  /** The ciphertext, and its tag behind it. */
  readonly body: Uint8Array;
}

/** The header's bytes, with room for so many behind them. */
export function formatHeader(version: 1 | 2, wrapped: Wrapped, room = 0): Uint8Array<ArrayBuffer> {
  const { keyId, keyVersion, wrappedKey } = wrapped;
  if (wrappedKey.length < 1 || wrappedKey.length > maxWrappedKey) {
    throw new InputError(`a wrapped key has 1 to ${maxWrappedKey} bytes`);
  }
  if (keyVersion >>> 0 !== keyVersion) throw new InputError('a key version is a whole number below 2^32');
  const header = new Uint8Array(fixedLength + wrappedKey.length + room);
  header.set([...magic, version]);
  header.set(uuidToBytes(keyId), 4);
  header.set(wrappedKey, fixedLength);
  // Of 32 bits the first two are overwritten.
  writeUint32(header, 22, wrappedKey.length);
  writeUint32(header, prefixLength, keyVersion);
  return header;
}

/**
 * Reads the header. Throws FormatError when the bytes cannot be an envelope; answers undefined when they are
 * the beginning of one that goes on.
 */
export function readHeader(bytes: Uint8Array): Header | undefined {
  if (magic.some((byte, at) => at < bytes.length && bytes[at] !== byte)) {
    throw new FormatError('not an envelope: it does not begin with `eaas`');
  }
  const version = bytes[3];
  if (version === undefined) return undefined;
  if (version !== 1 && version !== 2) throw new FormatError(`envelope version ${version} is unknown`);
  if (bytes.length < fixedLength) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = fixedLength + view.getUint16(24);
  if (length === fixedLength || length > fixedLength + maxWrappedKey) {
    throw new FormatError('not an envelope: it has no wrapped key');
  }
  if (bytes.length < length) return undefined;
  return {
    version,
    keyId: uuidFromBytes(bytes.subarray(4, prefixLength)),
    keyVersion: view.getUint32(prefixLength),
    wrappedKey: bytes.subarray(fixedLength, length),
    prefix: bytes.subarray(0, prefixLength),
    length,
  };
}

/** Reads the header of a whole envelope, or of its beginning. Throws FormatError when there is none. */
export function parseHeader(bytes: Uint8Array): Header {
  const header = readHeader(bytes);
  if (!header) throw truncated();
  return header;
}

/**
 * The same envelope with its data key wrapped anew, under the same key: nothing but the header changes. Throws
 * FormatError when the bytes are none, InputError for another key, under which it would never open.
 */
export function replaceWrapped(bytes: Uint8Array, wrapped: Wrapped): Uint8Array<ArrayBuffer> {
  const { version, length, keyId } = parseHeader(bytes);
  if (wrapped.keyId !== keyId) throw new InputError('a data key is wrapped anew under the same key');
  const rest = bytes.subarray(length);
  const replaced = formatHeader(version, wrapped, rest.length);
  replaced.set(rest, replaced.length - rest.length);
  return replaced;
}

/** Takes an envelope of version 1 apart without opening it. Throws FormatError when the bytes are none. */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  const header = parseHeader(bytes);
  if (header.version !== 1) throw new FormatError('this envelope is a stream (version 2)');
  const commitmentAt = header.length + ivLength;
  const bodyAt = commitmentAt + commitmentLength;
  if (bytes.length < bodyAt + tagLength) throw truncated();
  // Not a spread, which takes longer than all the rest of this.
  const envelope = header as { -readonly [Part in keyof Envelope]: Envelope[Part] };
  envelope.iv = bytes.subarray(header.length, commitmentAt);
  envelope.commitment = bytes.subarray(commitmentAt, bodyAt);
  envelope.body = bytes.subarray(bodyAt);
  return envelope;
}

/** Whether the bytes, or the base64, begin like an envelope: a guard against encrypting twice. */
export function looksLikeEnvelope(value: Uint8Array | string): boolean {
  if (typeof value === 'string') return value.startsWith('eaas');
  return magic.every((byte, at) => value[at] === byte);
}

export function truncated(): FormatError {
  return new FormatError('not a whole envelope: it is cut short');
}
