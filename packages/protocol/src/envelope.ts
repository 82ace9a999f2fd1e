// Reads and writes the bytes of envelopes without decrypting anything: the header, the wrapped key and the parts after it.
// Streams have the same header. An envelope has all that decryption needs, except the context and the service's key. The package's
// README says why each part is there.
//
//   DEK, 32 random bytes ─┬─ the service wraps it ─► wrapped key
//                         └─ HKDF-SHA-256 ─┬─► K, the encryption key
//                                          └─► C, the commitment
//
//   ┌───────┬─────────┬────────┬─────────────┬───┬─────────────┬────┬────┬────────────┬─────┐
//   │ magic │ version │ key_id │ key_version │ n │ wrapped key │ iv │ C  │ ciphertext │ tag │
//   │   3   │    1    │   16   │      4      │ 2 │      n      │ 12 │ 32 │     m      │ 16  │
//   └───────┴─────────┴────────┴─────────────┴───┴─────────────┴────┴────┴────────────┴─────┘
//   ╰── AAD, with the context ─╯╰ authenticated by the service ╯
//                                                                     ▲          ▲
//   opening:  1 format   2 expected key   3 unwrap   4 compare C ─────┘          │
//                                                    5 decrypt and check the tag ┘
import { isBytes, writeUint32 } from './bytes.ts';
import { FormatError, InputError } from './errors.ts';
import {
  commitmentLength,
  fixedLength,
  ivLength,
  magic,
  maxWrappedKey,
  prefixLength,
  tagLength,
} from './format-sizes.ts';
import { uuidFromBytes, uuidToBytes } from './uuid.ts';

/** The message of the error for a value that is no ciphertext. */
export const notCiphertext = 'not a ciphertext (it does not begin with `eaas`): was it never encrypted?';

/** A wrapped data key, with the id and the version of the key that wrapped it. */
export interface Wrapped {
  readonly keyId: string;
  readonly keyVersion: number;
  readonly wrappedKey: Uint8Array;
}

/** The header of an envelope. Versions 1 (values) and 2 (streams) have the same header. */
export interface Header extends Wrapped {
  readonly version: 1 | 2;
  /** The first 20 bytes of the header. They are authenticated with the content. */
  readonly prefix: Uint8Array;
  readonly length: number;
}

/** A parsed envelope of version 1. The parts are views of the input. */
export interface Envelope extends Header {
  readonly version: 1;
  readonly iv: Uint8Array;
  readonly commitment: Uint8Array;
  /** The encrypted plaintext, followed by the authentication tag. */
  readonly body: Uint8Array;
}

/** What a data key opens of an envelope. */
export type Sealed = Pick<Envelope, 'prefix' | 'iv' | 'commitment' | 'body'>;

/** Reads the header, or returns undefined if more bytes are needed. */
export function readHeader(bytes: Uint8Array): Header | undefined {
  if (magic.some((byte, at) => at < bytes.length && bytes[at] !== byte)) {
    const isText = String.fromCharCode(...bytes.subarray(0, 5)) === 'eaasA';
    throw new FormatError(isText ? 'these bytes are text: pass the ciphertext as text' : notCiphertext);
  }
  const version = bytes[3];
  if (version === undefined) return undefined;
  if (version !== 1 && version !== 2) {
    throw new FormatError(`envelope version ${version} is of a newer Eaas, or damaged: update \`@eaas/sdk\``);
  }
  if (bytes.length < fixedLength) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = fixedLength + view.getUint16(24);
  if (length === fixedLength || length > fixedLength + maxWrappedKey) {
    throw new FormatError(`the wrapped key of the envelope must have 1 to ${maxWrappedKey} bytes`);
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

/** Reads the header of an envelope or a stream. Throws FormatError for other bytes. */
export function parseHeader(bytes: Uint8Array): Header {
  const header = readHeader(bytes);
  if (!header) throw truncated();
  return header;
}

/** Parses an envelope of version 1, without decrypting it. Throws FormatError for other bytes. */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  const header = parseHeader(bytes);
  if (header.version !== 1) {
    throw new FormatError('expected a single envelope (version 1), got a stream (version 2)');
  }
  return { ...header, version: 1, ...sealedAfter(header, bytes) };
}

/** Returns what follows a header in its envelope. */
export function sealedAfter({ prefix, length }: Header, bytes: Uint8Array): Sealed {
  if (bytes.length < envelopeLength(length, 0)) throw truncated();
  const commitmentAt = length + ivLength;
  const bodyAt = commitmentAt + commitmentLength;
  const iv = bytes.subarray(length, commitmentAt);
  const commitment = bytes.subarray(commitmentAt, bodyAt);
  const body = bytes.subarray(bodyAt);
  return { prefix, iv, commitment, body };
}

export function formatHeader(version: 1 | 2, wrapped: Wrapped, room = 0): Uint8Array<ArrayBuffer> {
  const { keyId, keyVersion, wrappedKey } = wrapped;
  if (wrappedKey.length < 1 || wrappedKey.length > maxWrappedKey) {
    throw new InputError(`a wrapped key must have 1 to ${maxWrappedKey} bytes (got ${wrappedKey.length})`);
  }
  if (keyVersion >>> 0 !== keyVersion) {
    throw new InputError(`a key version must be an integer from 0 to 2^32 - 1 (got ${keyVersion})`);
  }
  const header = new Uint8Array(fixedLength + wrappedKey.length + room);
  header.set([...magic, version]);
  header.set(uuidToBytes(keyId), 4);
  header.set(wrappedKey, fixedLength);
  // The field for the length of the wrapped key has two bytes, but `writeUint32` writes four. The next line overwrites
  // the two extra bytes.
  writeUint32(header, 22, wrappedKey.length);
  writeUint32(header, prefixLength, keyVersion);
  return header;
}

/** Returns the length of the envelope of a plaintext. */
export function envelopeLength(headerLength: number, plaintextLength: number): number {
  return headerLength + ivLength + commitmentLength + plaintextLength + tagLength;
}

export function writeFront(
  envelope: Uint8Array,
  header: Uint8Array,
  iv: Uint8Array,
  commitment: Uint8Array,
): number {
  const commitmentAt = header.length + ivLength;
  envelope.set(header);
  envelope.set(iv, header.length);
  envelope.set(commitment, commitmentAt);
  return commitmentAt + commitmentLength;
}

/** Returns the envelope with another wrapped key. The encrypted value stays the same. */
export function replaceWrapped(bytes: Uint8Array, wrapped: Wrapped): Uint8Array<ArrayBuffer> {
  const { version, length, keyId } = parseHeader(bytes);
  if (wrapped.keyId !== keyId) {
    throw new InputError(`the data key must be wrapped by the key ${keyId} (got ${wrapped.keyId})`);
  }
  const rest = bytes.subarray(length);
  const replaced = formatHeader(version, wrapped, rest.length);
  replaced.set(rest, replaced.length - rest.length);
  return replaced;
}

// Contains the format version after `eaas`, so that a text such as `eaas@example.com` does not match.
const storedText = /^eaasA[Q-Za-v]/;

/**
 * Returns the ciphertext in a stored value, or undefined. A binary column can return base64 text as bytes. This
 * function converts these bytes to text.
 */
export function storedCiphertext(value: unknown): string | Uint8Array | undefined {
  if (typeof value === 'string') return storedText.test(value) ? value : undefined;
  if (!isBytes(value)) return undefined;
  if (looksLikeEnvelope(value)) return value[3] === 1 || value[3] === 2 ? value : undefined;
  const isText = storedText.test(String.fromCharCode(...value.subarray(0, 6)));
  return isText ? new TextDecoder().decode(value) : undefined;
}

/**
 * Returns whether bytes or base64 text begin like an envelope. Call this function to avoid encrypting a value twice.
 */
export function looksLikeEnvelope(value: Uint8Array | string): boolean {
  if (typeof value === 'string') return value.startsWith('eaas');
  return magic.every((byte, at) => value[at] === byte);
}

export const truncated = (): FormatError => new FormatError('the ciphertext was cut short');
