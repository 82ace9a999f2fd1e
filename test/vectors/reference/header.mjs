import { concat, fromHex, u16, u32, uuidBytes, uuidText } from './bytes.mjs';

const magic = fromHex('79a6ac');
export const boundLength = 20;
const fixedLength = 26;
const maxWrappedKey = 2048;

export class OpenError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Writes the header of an envelope. Does not check the length of the wrapped key, because some test vectors need an
 * invalid length.
 */
export function writeHeader(version, { key_id, key_version, wrapped_key }) {
  return concat(
    magic,
    Buffer.of(version),
    uuidBytes(key_id),
    u32(key_version),
    u16(wrapped_key.length),
    wrapped_key,
  );
}

export function readHeader(bytes, version, after) {
  if (bytes.length < fixedLength) throw new OpenError('format', 'shorter than a header');
  if (!bytes.subarray(0, 3).equals(magic)) throw new OpenError('format', 'other magic');
  if (bytes[3] !== version) throw new OpenError('format', 'other version');
  const n = bytes.readUInt16BE(24);
  if (n < 1 || n > maxWrappedKey) throw new OpenError('format', 'length of wrapped_key');
  const length = fixedLength + n;
  if (bytes.length < length + after) throw new OpenError('format', 'too short');
  return { key_id: uuidText(bytes.subarray(4, 20)), bound: bytes.subarray(0, boundLength), length };
}

export function requireKeyId(header, expected) {
  if (expected !== null && expected !== header.key_id) throw new OpenError('decryption', 'other key id');
}
