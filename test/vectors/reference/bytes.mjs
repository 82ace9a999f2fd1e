import { createHash, createHmac, hkdfSync } from 'node:crypto';

export const concat = (...parts) => Buffer.concat(parts);
export const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
export const hmac = (key, bytes) => createHmac('sha256', key).update(bytes).digest();
export const hkdf = (ikm, salt, info, length) => Buffer.from(hkdfSync('sha256', ikm, salt, info, length));
export const base64 = (bytes) => Buffer.from(bytes).toString('base64');
export const hex = (bytes) => Buffer.from(bytes).toString('hex');
export const fromHex = (text) => Buffer.from(text, 'hex');
export const empty = Buffer.alloc(0);

/**
 * Encodes text in UTF-8. Refuses lone surrogates, because replacing them would encode different texts as the same
 * bytes.
 */
export function utf8(text) {
  if (!text.isWellFormed()) throw new Error('text with a lone surrogate');
  return Buffer.from(text, 'utf8');
}

export function u16(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function pae(...parts) {
  return concat(u32(parts.length), ...parts.map(part));
}

function part(value) {
  if (value === null) return fromHex('ffffffff');
  const bytes = partBytes(value);
  return concat(u32(bytes.length), bytes);
}

function partBytes(value) {
  if (typeof value === 'string') return utf8(value);
  if (Number.isSafeInteger(value) && value >= 0) return utf8(value.toString(10));
  if (value instanceof Uint8Array) return value;
  throw new Error('a part is null, text, bytes or a whole number');
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function uuidBytes(uuid) {
  if (!uuidPattern.test(uuid)) throw new Error(`not a lower-case UUID: ${uuid}`);
  return fromHex(uuid.replaceAll('-', ''));
}

export function uuidText(bytes) {
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function draw(label, length) {
  const blocks = [];
  for (let counter = 0; counter * 32 < length; counter++)
    blocks.push(sha256(utf8(`eaas vectors v1/${label}/${counter}`)));
  return concat(...blocks).subarray(0, length);
}

export function drawUuid(label) {
  const bytes = draw(label, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return uuidText(bytes);
}

export function flip(bytes, offset, mask) {
  const copy = Buffer.from(bytes);
  copy[offset] ^= mask;
  return copy;
}

export function overwrite(bytes, offset, replacement) {
  return concat(bytes.subarray(0, offset), replacement, bytes.subarray(offset + replacement.length));
}
